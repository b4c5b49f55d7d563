import type { Authenticator, SecondFactorProof, NewAuthenticator } from '#contract/second-factors.ts'
import * as authenticators from '../../storage/authenticators.ts'
import type { Subject } from '../../storage/recovery.ts'
import type { Db } from '../../storage/engine/types.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import * as audit from '../audit/audit.ts'
import { loadIdentity, requireRecentIdentity, toSubject } from './identity-confirmation.ts'
import type { Ctx } from '../ports.ts'
import { read, write } from '../transaction.ts'
import { type Account, rememberAccount } from './device-cookies.ts'
import { conflict, invalid, Refusal, unauthenticated } from '../errors.ts'
import { renderSvg } from '../floor/qr-image.ts'
import { redeemRecoveryCode } from './recovery-codes.ts'
import { restaurantOf } from './restaurants.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { withThrottle } from './login-throttle.ts'
import { base32, findTotpStep } from './totp.ts'

export async function getStatus(ctx: Ctx, actor: Actor): Promise<Authenticator> {
  const { restaurantId } = authorizeInRestaurant(actor, 'secondFactors.authenticator')
  const identity = await loadIdentity(read(ctx), actor)
  const on = await authenticators.find(read(ctx), toSubject(identity, restaurantId))
  return { since: on?.confirmedAt ?? null, hasPassword: identity.login.secret !== null }
}

/** Makes a secret for an authenticator app. Nothing is asked for until a code of it came back. */
export async function beginSetup(ctx: Ctx, actor: Actor): Promise<NewAuthenticator> {
  const { restaurantId } = authorizeInRestaurant(actor, 'secondFactors.beginAuthenticator')
  const identity = await requireRecentIdentity(read(ctx), actor)
  if (identity.login.secret === null) throw conflict('Please set a password first')
  const secret = Buffer.from(ctx.secrets.newToken(), 'base64url').subarray(0, 20)
  const subject = toSubject(identity, restaurantId)
  const pending = { secret: secret.toString('base64url'), createdAt: ctx.now() }
  if (!(await write(ctx, (db) => authenticators.begin(db, subject, pending)))) throw alreadyEnabled()
  const { name } = await restaurantOf(read(ctx), actor)
  const label = encodeURIComponent(`Tableside:${identity.name} (${name})`)
  const text = base32(secret)
  return { secret: text, svg: renderSvg(`otpauth://totp/${label}?secret=${text}&issuer=Tableside`) }
}

/** Whoever shows that the app has the secret is asked for its codes from the next sign-in on. */
export async function turnOn(ctx: Ctx, actor: Actor, { code }: SecondFactorProof): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'secondFactors.turnAuthenticatorOn')
  const identity = await requireRecentIdentity(read(ctx), actor)
  const pending = await authenticators.findIncludingPending(read(ctx), toSubject(identity, restaurantId))
  if (!pending) throw conflict('Please begin again')
  const step = findTotpStep(ctx.secrets, decodeSecret(pending), code, ctx.now())
  if (step === undefined) throw invalid('This code is not right. Please enter the newest one.')
  await write(ctx, async (db) => {
    if (!(await authenticators.confirm(db, pending, { step, at: ctx.now() }))) throw alreadyEnabled()
    await audit.record(ctx, db, actor, restaurantId, 'authenticator.turnOn', { of: identity.name })
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: identity.kind, what: 'authenticator on' })
}

const alreadyEnabled = () => conflict('An authenticator app is on already')

const decodeSecret = ({ secret }: authenticators.Authenticator): Buffer => Buffer.from(secret, 'base64url')

export async function turnOff(ctx: Ctx, actor: Actor, { code }: SecondFactorProof): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'secondFactors.turnAuthenticatorOff')
  const identity = await requireRecentIdentity(read(ctx), actor)
  const subject = toSubject(identity, restaurantId)
  if (!(await authenticators.find(read(ctx), subject))) return
  try {
    await withThrottle(ctx, actor, codeAccount(identity.login), () => consumeCode(ctx, subject, code))
  } catch (error) {
    // Who is signed in stays so.
    if (error instanceof Refusal && error.code === 'unauthenticated') throw invalid(error.message)
    throw error
  }
  await write(ctx, async (db) => {
    await authenticators.remove(db, subject)
    await audit.record(ctx, db, actor, restaurantId, 'authenticator.turnOff', { of: identity.name })
  })
  logSecurityEvent(ctx, actor, 'credential-changed', { of: identity.kind, what: 'authenticator off' })
}

/** Wrong codes are counted apart from wrong passwords: a right password must not begin their count anew. */
const codeAccount = ({ key, secret }: Account): Account => ({ key: `${key} codes`, secret })

/**
 * At a sign-in, after the password was right: asks for a code where one is needed, and uses it up. What it answers is
 * to be shown to `requireProved` in the transaction that signs in.
 */
export async function verifySecondFactor(
  ctx: Ctx,
  actor: Actor,
  subject: Subject,
  account: Account,
  code: string | undefined,
): Promise<{ proved: boolean; deviceCookie: string }> {
  const deviceCookie = rememberAccount(ctx, actor, account)
  if (!(await authenticators.find(read(ctx), subject))) return { proved: false, deviceCookie }
  if (!code) throw secondFactorRequired()
  await withThrottle(ctx, actor, codeAccount(account), () => consumeCode(ctx, subject, code))
  return {
    proved: true,
    deviceCookie: rememberAccount(ctx, { ...actor, deviceCookie }, codeAccount(account)),
  }
}

/** The second factor may have been turned on while the sign-in was under way. */
export async function requireSecondFactorVerified(db: Db, subject: Subject, proved: boolean): Promise<void> {
  if (!proved && (await authenticators.find(db, subject))) throw secondFactorRequired()
}

const secondFactorRequired = () =>
  new Refusal('second_factor_required', 'Please enter the code from your authenticator app')

/** Each code counts once, however often it is sent. */
async function consumeCode(ctx: Ctx, subject: Subject, code: string): Promise<void> {
  const used = await write(ctx, async (db) => {
    const on = await authenticators.find(db, subject)
    const step = on && findTotpStep(ctx.secrets, decodeSecret(on), code, ctx.now())
    if (on && step !== undefined) return authenticators.consumeStep(db, on, step)
    return redeemRecoveryCode(ctx, db, subject, code)
  })
  if (!used) throw unauthenticated('This code is not right, or was used already')
}
