import type { Actor } from './actor.ts'
import type { Ctx } from './context.ts'
import { Refusal } from './errors.ts'

/**
 * Runs a login. Wrong passwords are counted by account and address, and by address alone; an account is also
 * counted alone, but only from browsers that hold no session, so that nobody can lock others out of their device.
 */
export async function throttled<T>(
  ctx: Ctx,
  actor: Actor,
  account: string,
  login: () => Promise<T>,
): Promise<T> {
  const pair = `${account} ${actor.address}`
  const refuseIfFull = async () => {
    await ctx.limits.check('login', pair)
    await ctx.limits.check('login-address', actor.address)
    if (actor.sessionId === null) await ctx.limits.check('login-account', account)
  }
  await refuseIfFull()
  try {
    const result = await login()
    await ctx.limits.clear('login', pair)
    return result
  } catch (error) {
    if (error instanceof Refusal && error.code === 'unauthenticated') await count(ctx, actor, account, pair)
    throw error
  }
}

async function count(ctx: Ctx, actor: Actor, account: string, pair: string): Promise<void> {
  const limits = [
    ctx.limits.take('login', pair),
    ctx.limits.take('login-address', actor.address),
    ...(actor.sessionId === null ? [ctx.limits.take('login-account', account)] : []),
  ]
  // The wrong password is the answer to this try; the limit answers the next one.
  await Promise.allSettled(limits)
}
