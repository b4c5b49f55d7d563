import type { LinkRequest } from '#contract/accounts/recovery.ts'
import { minuteMs } from '#contract/durations.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import * as recovery from '../../../storage/accounts/recovery.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import { type Actor, anonymousActor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorize } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { tryTake } from '../../limits/limits.ts'
import { requireMail } from '../../mailed-codes.ts'
import { read, write } from '../../transaction.ts'
import { findOwners } from '../sign-in/login-accounts.ts'

/** As long as the window of `mailed-link-kept`. */
const linkLifetimeMs = 30 * minuteMs

/** Unlike the digest of the operator's links, which end second factors on servers that do not know mailed ones. */
export const digestMailedToken = (ctx: Ctx, token: string): string => ctx.secrets.digest(`mail|${token}`)

/** The answer says nothing about whether there is such an account, nor does the time that it takes. */
export async function sendLink(ctx: Ctx, actor: Actor, { restaurantName }: LinkRequest): Promise<void> {
  authorize(actor, 'recovery.sendLink')
  requireMail(ctx)
  await ctx.limits.take('mailed-link-caller', actor.address)
  const author = anonymousActor(actor.address)
  ctx.background(async () => {
    for (const owner of await findOwners(read(ctx), restaurantName)) await mailLink(ctx, author, owner)
  })
}

/**
 * Anybody can sign restaurants up with somebody else's address, and ask for links to it. The first owners of an address
 * get one whenever they have none that is valid; all other mails to it share its places.
 */
async function takePlace(ctx: Ctx, { id, emailKey }: owners.Owner): Promise<boolean> {
  const firstOwners = await owners.findByEmail(read(ctx), emailKey)
  const isKept = firstOwners.some((first) => first.id === id) && (await tryTake(ctx, 'mailed-link-kept', id))
  const isFree = await tryTake(ctx, 'mailed-link', id)
  return isKept || (isFree && (await tryTake(ctx, 'mailed-link-address', emailKey)))
}

/** An owner without a password signs in through the identity provider, and needs none. */
async function mailLink(ctx: Ctx, author: Actor, owner: owners.Owner): Promise<void> {
  const { id: ownerId, restaurantId, email, emailKey, passwordHash } = owner
  const restaurant = restaurantId === null ? undefined : await restaurants.findById(read(ctx), restaurantId)
  if (!restaurant || passwordHash === null || !(await takePlace(ctx, owner))) return
  const token = ctx.secrets.newToken()
  const isSaved = await write(ctx, async ({ db }) => {
    const current = await owners.lock(db, ownerId)
    if (!current || current.emailKey !== emailKey || current.passwordHash === null) return false
    const reset = {
      restaurantId: restaurant.id,
      ownerId,
      tokenHash: digestMailedToken(ctx, token),
      expiresAt: ctx.now() + linkLifetimeMs,
      via: 'mail' as const,
    }
    if (!(await recovery.saveMailedReset(db, reset, ctx.now()))) return false
    await audit.record(ctx, db, author, restaurant.id, 'recovery.mailLink')
    return true
  })
  if (!isSaved) return
  logSecurityEvent(ctx, author, 'recovery-link-created', { restaurant: restaurant.id, by: 'email' })
  const text = [
    `Somebody asked for a new password for ${restaurant.name}. If it was you, open this within 30 minutes. It works once.`,
    '',
    // After the '#', where no server or log on the way sees it.
    `${ctx.settings.publicUrl}/reset-password#${token}`,
    '',
    'If it was not you, do nothing: your password stays as it is.',
  ].join('\n')
  const mail = { id: ctx.newId(), to: email, subject: `${restaurant.name}: set a new password`, text }
  const { problem } = await requireMail(ctx).send(mail)
  if (problem !== null) ctx.log.warn({ owner: ownerId, problem }, 'could not mail a reset link')
}
