import type { Actor } from './actor.ts'
import type { Ctx } from './context.ts'
import { Refusal } from './errors.ts'

/**
 * Checks a login's password. Wrong ones are counted by account and address, and by address alone; an account is
 * also counted alone, but only from browsers that hold no session, so that nobody can lock others out of their
 * device.
 */
export async function throttled<T>(
  ctx: Ctx,
  actor: Actor,
  account: string,
  verify: () => Promise<T>,
): Promise<T> {
  const pair = `${account} ${actor.address}`
  const refuseIfFull = async () => {
    await ctx.limits.check('login', pair)
    await ctx.limits.check('login-address', actor.address)
    if (actor.sessionId === null) await ctx.limits.check('login-account', account)
  }
  await refuseIfFull()
  const [outcome] = await Promise.allSettled([verify()])
  if (outcome.status === 'rejected' && !isWrong(outcome.reason)) throw outcome.reason
  // Many passwords may be tried at one moment: those that were counted meanwhile count for this one too.
  await refuseIfFull()
  if (outcome.status === 'rejected') {
    await count(ctx, actor, account, pair)
    throw outcome.reason
  }
  await ctx.limits.clear('login', pair)
  return outcome.value
}

const isWrong = (error: unknown): boolean => error instanceof Refusal && error.code === 'unauthenticated'

async function count(ctx: Ctx, actor: Actor, account: string, pair: string): Promise<void> {
  await ctx.limits.take('login', pair)
  await ctx.limits.take('login-address', actor.address)
  if (actor.sessionId === null) await ctx.limits.take('login-account', account)
}
