import type { Authenticator, SecondFactorProof, NewAuthenticator } from '#contract/accounts/second-factors.ts'
import * as authenticators from '../../../storage/accounts/authenticators.ts'
import * as passkeys from '../../../storage/accounts/passkeys.ts'
import type { Subject } from '../../../storage/accounts/subject.ts'
import type { Db } from '../../../storage/engine/types.ts'
import type { Actor } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { conflict, invalid, Refusal, unauthenticated } from '../../errors.ts'
import { renderSvg } from '../../floor/qr-image.ts'
import { read, write } from '../../transaction.ts'
import { rememberAccount, rememberBoth } from '../devices/device-cookies.ts'
import { redeemRecoveryCode } from '../recovery/recovery-codes.ts'
import { restaurantOf } from '../restaurants/restaurants.ts'
import { loadIdentity, requireRecentIdentity, toSubject } from './identity.ts'
import type { Account } from './login-accounts.ts'
import { replaceUnauthenticated, withThrottle } from './login-throttle.ts'
import { base32, findTotpStep } from './totp.ts'

export async function authenticator(ctx: Ctx, actor: Actor): Promise<Authenticator> {
  authorizeInRestaurant(actor, 'secondFactors.authenticator')
  const identity = await loadIdentity(read(ctx), actor)
  const enabled = await authenticators.find(read(ctx), toSubject(identity))
  return { since: enabled?.confirmedAt ?? null, hasPassword: identity.login.secret !== null }
}

/** Creates a secret for an authenticator app. Sign-ins ask for codes only once one was entered here. */
export async function beginAuthenticator(ctx: Ctx, actor: Actor): Promise<NewAuthenticator> {
  authorizeInRestaurant(actor, 'secondFactors.beginAuthenticator')
  const identity = await requireRecentIdentity(read(ctx), actor)
  if (identity.login.secret === null) throw conflict('Please set a password first')
  const secret = Buffer.from(ctx.secrets.newToken(), 'base64url').subarray(0, 20)
  const subject = toSubject(identity)
  const pending = { secret: secret.toString('base64url'), createdAt: ctx.now() }
  if (!(await write(ctx, ({ db }) => authenticators.begin(db, subject, pending)))) throw alreadyEnabled()
  const { name } = await restaurantOf(read(ctx), actor)
  const label = encodeURIComponent(`Tableside:${identity.name} (${name})`)
  const text = base32(secret)
  return { secret: text, svg: renderSvg(`otpauth://totp/${label}?secret=${text}&issuer=Tableside`) }
}

/**
 * Takes a code as proof that the app has the secret. From the next sign-in on, codes are required. Returns this browser's
 * device cookie, so that wrong codes from elsewhere do not lock it out.
 */
export async function turnAuthenticatorOn(
  ctx: Ctx,
  actor: Actor,
  { code }: SecondFactorProof,
): Promise<string> {
  const { restaurantId } = authorizeInRestaurant(actor, 'secondFactors.turnAuthenticatorOn')
  const identity = await requireRecentIdentity(read(ctx), actor)
  const pending = await authenticators.findIncludingPending(read(ctx), toSubject(identity))
  if (!pending) throw conflict('Please begin again')
  const step = findTotpStep(ctx.secrets, decodeSecret(pending), code, ctx.now())
  if (step === undefined) throw invalid('This code is wrong. Please enter the latest one.')
  await write(ctx, async ({ db }) => {
    if (!(await authenticators.confirm(db, pending, { step, at: ctx.now() }))) throw alreadyEnabled()
    await audit.record(ctx, db, actor, restaurantId, 'authenticator.turnOn', { of: identity.name })
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: identity.kind, what: 'authenticator on' })
  return rememberBoth(ctx, actor, identity.login, codeAccount(identity.login))
}

const alreadyEnabled = () => conflict('An authenticator app is on already')

const decodeSecret = ({ secret }: authenticators.Authenticator): Buffer => Buffer.from(secret, 'base64url')

export async function turnAuthenticatorOff(
  ctx: Ctx,
  actor: Actor,
  { code }: SecondFactorProof,
): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'secondFactors.turnAuthenticatorOff')
  const identity = await requireRecentIdentity(read(ctx), actor)
  const subject = toSubject(identity)
  if (!(await authenticators.find(read(ctx), subject))) return
  await replaceUnauthenticated(wrongCode(), () => verifyCode(ctx, actor, subject, identity.login, code))
  await write(ctx, async ({ db }) => {
    await authenticators.remove(db, subject)
    await audit.record(ctx, db, actor, restaurantId, 'authenticator.turnOff', { of: identity.name })
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: identity.kind, what: 'authenticator off' })
}

/** Wrong codes are counted separately: a right password must not reset their count. */
const codeAccount = ({ key, secret }: Account): Account => ({ key: `${key} codes`, secret })

/**
 * Called at a sign-in once the password was right: requires a code if there is a second factor, and uses it up. Pass
 * `proved` to `requireSecondFactorVerified` in the transaction that signs in.
 */
export async function verifySecondFactor(
  ctx: Ctx,
  actor: Actor,
  subject: Subject,
  account: Account,
  code: string | undefined,
): Promise<{ proved: boolean; deviceCookie: string }> {
  if (!(await authenticators.find(read(ctx), subject)))
    return { proved: false, deviceCookie: rememberAccount(ctx, actor, account) }
  if (!code) throw secondFactorRequired()
  await verifyCode(ctx, actor, subject, account, code)
  return { proved: true, deviceCookie: rememberBoth(ctx, actor, account, codeAccount(account)) }
}

/** The second factor may have been turned on during the sign-in. */
export async function requireSecondFactorVerified(db: Db, subject: Subject, proved: boolean): Promise<void> {
  if (!proved && (await authenticators.find(db, subject))) throw secondFactorRequired()
}

const secondFactorRequired = () =>
  new Refusal('second_factor_required', 'Please enter the code from your authenticator app')

async function verifyCode(
  ctx: Ctx,
  actor: Actor,
  subject: Subject,
  account: Account,
  code: string,
): Promise<void> {
  await withThrottle(ctx, actor, codeAccount(account), async () => {
    if (!(await consumeCode(ctx, subject, code))) throw unauthenticated(wrongCode().message)
  })
}

const wrongCode = () => invalid('This code is wrong, or was used already')

/** Each code is accepted once. */
async function consumeCode(ctx: Ctx, subject: Subject, code: string): Promise<boolean> {
  return write(ctx, async ({ db }) => {
    const enabled = await authenticators.find(db, subject)
    const step = enabled && findTotpStep(ctx.secrets, decodeSecret(enabled), code, ctx.now())
    if (enabled && step !== undefined) return authenticators.consumeStep(db, enabled, step)
    return redeemRecoveryCode(ctx, db, subject, code)
  })
}

/** Call inside `write`. */
export async function removeSecondFactors(
  db: Db,
  subject: Subject,
): Promise<{ authenticator: boolean; passkeys: passkeys.Passkey[] }> {
  const own = await passkeys.list(db, subject)
  const enabled = await authenticators.find(db, subject)
  await authenticators.remove(db, subject)
  await passkeys.removeAll(db, subject)
  return { authenticator: enabled !== undefined, passkeys: own }
}
