import { minuteMs } from '#contract/durations.ts'
import { nameKey } from '#contract/primitives.ts'
import type { Mailer } from '../ports/outbound.ts'
import type { Ctx } from './ctx.ts'
import { conflict, invalid } from './errors.ts'

export const codeLifetimeMs = 30 * minuteMs
/** At one code's digits, right or wrong. */
export const maxAttempts = 5

export function requireMail(ctx: Ctx): Mailer {
  if (ctx.mail === null) throw conflict('This server sends no email')
  return ctx.mail
}

/** For each restaurant and each address, so that nobody can use this server to pester strangers. */
export async function consumeMailLimits(
  ctx: Ctx,
  { restaurantId, address }: { restaurantId: string; address: string },
): Promise<void> {
  requireMail(ctx)
  await ctx.limits.takeAll([
    ['mailed-code', restaurantId],
    ['mailed-code-address', nameKey(address)],
  ])
}

/** What is stored of a code; `purpose` says what it confirms. */
export const proofOf = (ctx: Ctx, purpose: string, digits: string): string =>
  ctx.secrets.sign(ctx.installationKey, `mailed-code|${purpose}|${digits}`)

/** `tried` is the stored code after this attempt was counted; undefined if there was none to try. */
export function requireCode<T extends { codeProof: string | null }>(
  ctx: Ctx,
  tried: T | undefined,
  purpose: string,
  digits: string,
): T {
  if (!tried?.codeProof) throw conflict('This code is too old, or was tried too often. Please get a new one.')
  if (!ctx.secrets.equal(tried.codeProof, proofOf(ctx, purpose, digits))) throw invalid('This code is wrong')
  return tried
}
