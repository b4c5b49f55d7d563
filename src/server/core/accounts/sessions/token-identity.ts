import { type ApiScope, apiScopeNames } from '#contract/accounts/api-tokens.ts'
import { minuteMs } from '#contract/durations.ts'
import * as apiTokens from '../../../storage/accounts/api-tokens.ts'
import type { ApiTokenRow } from '../../../storage/accounts/api-tokens.ts'
import { type Actor, anonymousActor } from '../../actor.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import type { Ctx } from '../../ctx.ts'
import { unauthenticated } from '../../errors.ts'
import { tryTake } from '../../limits/limits.ts'
import { invalidTokenMessage } from '../../token-scopes.ts'
import { read, write } from '../../transaction.ts'

/** Unlike a login, so that it is recognized wherever it turns up. */
export const apiTokenPrefix = 'tableside_'

const useRecordedEveryMs = minuteMs

type Caller = Pick<Actor, 'address' | 'userAgent'>

/**
 * The software behind a token, looked up by its digest: how long that takes says nothing about the token. Refuses one
 * that is unknown, revoked or expired, even for what guests may do without any. However many of those come from its
 * address, which a restaurant shares with its guests, a valid one is never refused for them.
 */
export async function identifyToken(ctx: Ctx, token: string, { address, userAgent }: Caller): Promise<Actor> {
  const row = await apiTokens.findValidByToken(read(ctx), ctx.secrets.digest(token), ctx.now())
  if (!row) {
    await ctx.limits.take('api-token-miss', address)
    if (await tryTake(ctx, 'refusal-log', address))
      logSecurityEvent(ctx, anonymousActor(address), 'token-refused')
    throw unauthenticated(invalidTokenMessage)
  }
  await ctx.limits.take('api-token', row.id)
  recordUse(ctx, row)
  return { ...anonymousActor(address), userAgent, ...accessOf(row) }
}

/** The same software as its token is now; a guest if it has none any more. */
export async function reidentifyToken(ctx: Ctx, actor: Actor): Promise<Actor> {
  const { token, restaurantId, address } = actor
  if (token === null || restaurantId === null) return actor
  const row = await apiTokens.findValid(read(ctx), { restaurantId, id: token.id }, ctx.now())
  return row ? { ...actor, ...accessOf(row) } : anonymousActor(address)
}

const accessOf = ({
  restaurantId,
  id,
  name,
  scopes,
}: ApiTokenRow): Pick<Actor, 'restaurantId' | 'token'> => ({
  restaurantId,
  token: { id, name, scopes: new Set(scopesOf(scopes)) },
})

export const scopesOf = (text: string): ApiScope[] => {
  const stored = text.split(' ')
  return apiScopeNames.filter((scope) => stored.includes(scope))
}

function recordUse(ctx: Ctx, row: ApiTokenRow): void {
  const now = ctx.now()
  if (row.lastUsedAt !== null && row.lastUsedAt > now - useRecordedEveryMs) return
  ctx.background(() => write(ctx, ({ db }) => apiTokens.recordUse(db, row, now)))
}
