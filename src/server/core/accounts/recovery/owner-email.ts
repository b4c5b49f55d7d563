import type { NewOwnerEmail, OwnerEmail } from '#contract/accounts/recovery.ts'
import type { MailedCode } from '#contract/outside/outside-alerts.ts'
import { nameKey } from '#contract/primitives.ts'
import * as owners from '../../../storage/accounts/owners.ts'
import * as recovery from '../../../storage/accounts/recovery.ts'
import type { Actor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import { queueEmailChange } from '../../billing/customer-email.ts'
import type { Ctx } from '../../ctx.ts'
import { conflict } from '../../errors.ts'
import {
  codeLifetimeMs,
  consumeMailLimits,
  maxAttempts,
  proofOf,
  requireCode,
  requireMail,
} from '../../mailed-codes.ts'
import { read, write } from '../../transaction.ts'
import { restaurantOf } from '../restaurants/restaurants.ts'
import { requireGrantStillValid } from '../sessions/sessions.ts'
import { requireOwner } from '../sign-in/identity.ts'
import { notifyOwner } from './owner-notices.ts'

/** What a code confirms: this address for this owner, and no other. */
const purposeOf = (ownerId: string, email: string): string => `owner|${ownerId}|${nameKey(email)}`

/** Mails a code to the new address. The old one stays until the code is entered. */
export async function begin(ctx: Ctx, actor: Actor, { email }: NewOwnerEmail): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'ownerEmail.begin')
  const owner = await requireOwner(read(ctx), actor)
  if (nameKey(email) === owner.emailKey) throw conflict('This is your email address already')
  await consumeMailLimits(ctx, { restaurantId, address: email })
  const digits = ctx.secrets.newDigits()
  const { name } = await restaurantOf(read(ctx), actor)
  await write(ctx, async ({ db }) => {
    await requireGrantStillValid(ctx, db, actor, 'ownerEmail.begin')
    await owners.saveEmailChange(db, {
      ownerId: owner.id,
      email,
      codeProof: proofOf(ctx, purposeOf(owner.id, email), digits),
      codeExpiresAt: ctx.now() + codeLifetimeMs,
      codeTries: 0,
    })
  })
  const text = [
    `${digits} is the code that makes this the email address of the owner of ${name}.`,
    'The code works for 30 minutes. If you did not expect it, do nothing.',
  ].join('\n')
  const subject = `${name}: confirm this address`
  const { problem } = await requireMail(ctx).send({ id: ctx.newId(), to: email, subject, text })
  if (problem !== null) throw conflict(`The email could not be sent. ${problem}.`)
}

/** Links that were mailed to the old address no longer work, and it is told. */
export async function confirm(ctx: Ctx, actor: Actor, { code }: MailedCode): Promise<OwnerEmail> {
  const { restaurantId } = authorizeInRestaurant(actor, 'ownerEmail.confirm')
  const owner = await requireOwner(read(ctx), actor)
  const counted = await write(ctx, ({ db }) => owners.countEmailAttempt(db, owner.id, maxAttempts, ctx.now()))
  const tried = requireCode(ctx, counted, purposeOf(owner.id, counted?.email ?? ''), code)
  const { email } = tried
  const home = owner.restaurantId ?? restaurantId
  const { name } = await restaurantOf(read(ctx), actor)
  await write(ctx, async ({ db }) => {
    await requireGrantStillValid(ctx, db, actor, 'ownerEmail.confirm')
    if (!(await owners.consumeEmailChange(db, tried))) throw conflict('Please get a new code')
    await audit.record(ctx, db, actor, restaurantId, 'owner.changeEmail', { from: owner.email, to: email })
    await owners.setEmail(db, owner.id, email)
    await queueEmailChange(ctx, db, owner.id)
    await recovery.removeResets(db, home)
    await notifyOwner(ctx, db, home, 'email-changed')
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: 'owner', what: 'email', owner: owner.id })
  ctx.background(async () => {
    const text = [
      `This is no longer the email address of the owner of ${name}: it was changed.`,
      'If it was not you, sign in and change your password, or ask whoever runs the server.',
    ].join('\n')
    const mail = {
      id: ctx.newId(),
      to: owner.email,
      subject: `${name}: your email address was changed`,
      text,
    }
    const { problem } = await requireMail(ctx).send(mail)
    if (problem !== null) ctx.log.warn({ owner: owner.id, problem }, 'could not tell an old email address')
  })
  return { email }
}
