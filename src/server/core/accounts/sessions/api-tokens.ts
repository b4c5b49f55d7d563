import {
  type ApiToken,
  type CreatedApiToken,
  maxApiTokens,
  type NewApiToken,
  type OwnApiToken,
} from '#contract/accounts/api-tokens.ts'
import { dayMs } from '#contract/durations.ts'
import * as apiTokens from '../../../storage/accounts/api-tokens.ts'
import type { ApiTokenRow } from '../../../storage/accounts/api-tokens.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import type { Actor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { conflict, notFound } from '../../errors.ts'
import { read, write } from '../../transaction.ts'
import { restaurantOf } from '../restaurants/restaurants.ts'
import { publishSessionsChanged, requireGrantStillValid } from './sessions.ts'
import { apiTokenPrefix, scopesOf } from './token-identity.ts'

const toApiToken = ({ id, name, scopes, createdAt, expiresAt, lastUsedAt }: ApiTokenRow): ApiToken => ({
  id,
  name,
  scopes: scopesOf(scopes),
  createdAt,
  expiresAt,
  lastUsedAt,
})

export async function list(ctx: Ctx, actor: Actor): Promise<ApiToken[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'apiTokens.list')
  return (await apiTokens.list(read(ctx), restaurantId)).map(toApiToken)
}

export async function create(
  ctx: Ctx,
  actor: Actor,
  { name, scopes, days }: NewApiToken,
): Promise<CreatedApiToken> {
  const { restaurantId } = authorizeInRestaurant(actor, 'apiTokens.create')
  const token = apiTokenPrefix + ctx.secrets.newToken()
  const now = ctx.now()
  const row = {
    restaurantId,
    id: ctx.newId(),
    name,
    tokenHash: ctx.secrets.digest(token),
    scopes: [...new Set(scopes)].join(' '),
    createdAt: now,
    expiresAt: days === null ? null : now + days * dayMs,
    lastUsedAt: null,
  }
  await write(ctx, async ({ db, afterCommit }) => {
    await requireGrantStillValid(ctx, db, actor, 'apiTokens.create')
    // Two at once must not exceed the limit.
    await restaurants.lock(db, restaurantId)
    if ((await apiTokens.count(db, restaurantId)) >= maxApiTokens)
      throw conflict('Please revoke a token that is no longer used first')
    await apiTokens.insert(db, row)
    const until = row.expiresAt === null ? 'revoked' : new Date(row.expiresAt).toISOString()
    await audit.record(ctx, db, actor, restaurantId, 'apiTokens.create', {
      name,
      scopes: scopesOf(row.scopes),
      until,
    })
    afterCommit(() => logSecurityEvent(ctx, actor, 'grant-given', { software: row.id, scopes: row.scopes }))
  })
  return { apiToken: toApiToken(row), token }
}

/** Closes its sockets too. */
export async function remove(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'apiTokens.remove')
  await write(ctx, async ({ db, afterCommit }) => {
    const removed = await apiTokens.remove(db, { restaurantId, id })
    if (!removed) throw notFound('Token')
    await audit.record(ctx, db, actor, restaurantId, 'apiTokens.remove', { name: removed.name })
    afterCommit(() => {
      publishSessionsChanged(ctx, [id])
      logSecurityEvent(ctx, actor, 'grant-revoked', { software: id })
    })
  })
}

export async function own(ctx: Ctx, actor: Actor): Promise<OwnApiToken> {
  const { restaurantId } = authorizeInRestaurant(actor, 'apiTokens.own')
  const db = read(ctx)
  const { name: restaurantName } = await restaurantOf(db, actor)
  const row = await apiTokens.findValid(db, { restaurantId, id: actor.token?.id ?? '' }, ctx.now())
  if (!row) throw notFound('Token')
  return { ...toApiToken(row), restaurantName }
}
