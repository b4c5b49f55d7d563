import type {
  DeviceCodeState,
  DeviceLink,
  DeviceLinkLogin,
  DeviceLogin,
  NewDeviceCode,
} from '#contract/accounts/devices.ts'
import type { SignedInRestaurant } from '#contract/accounts/signed-in.ts'
import { minuteMs } from '#contract/durations.ts'
import { nameKey } from '#contract/primitives.ts'
import * as deviceCodes from '../../../storage/accounts/device-codes.ts'
import * as restaurants from '../../../storage/accounts/restaurants.ts'
import { type Actor, findGrant } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorize, authorizeInRestaurant, requireGrant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { notFound, Refusal } from '../../errors.ts'
import { renderPng } from '../../floor/qr-image.ts'
import { read, type Tx, write } from '../../transaction.ts'
import { findByName, restaurantOf } from '../restaurants/restaurants.ts'
import { type SignedIn, signIn } from '../sessions/sessions.ts'
import { describeBrowser } from '../sign-in/user-agent.ts'

const lifetimeMs = 15 * minuteMs

/** Attempts at a code's digits, right or wrong. After that, the code's link still works. */
const maxAttempts = 8

/** Creates a code that signs in one device, once. It replaces the restaurant's previous code. */
export async function createCode(ctx: Ctx, actor: Actor): Promise<NewDeviceCode> {
  const { restaurantId } = authorizeInRestaurant(actor, 'devices.createCode')
  const restaurant = await restaurantOf(read(ctx), actor)
  const id = ctx.newId()
  const [digits, token] = [ctx.secrets.newDigits(), ctx.secrets.newToken()]
  const expiresAt = ctx.now() + lifetimeMs
  await write(ctx, async ({ db }) => {
    await deviceCodes.put(db, {
      restaurantId,
      id,
      digitsProof: signDigits(ctx, restaurant, id, digits),
      tokenHash: ctx.secrets.digest(token),
      madeBy: (findGrant(actor, 'owner') ?? requireGrant(actor, 'manager')).subjectId,
      expiresAt,
      tries: 0,
      usedAt: null,
      usedBy: null,
    })
    await audit.record(ctx, db, actor, restaurantId, 'deviceCodes.create')
  })
  // After the '#', where no server or log on the way sees it.
  const link = `${ctx.settings.publicUrl}/device#${token}`
  return { id, digits, link, qr: renderPng(link), expiresAt }
}

const signDigits = (ctx: Ctx, { codeKey }: restaurants.Restaurant, id: string, digits: string): string =>
  ctx.secrets.sign(codeKey, `device|${id}|${digits}`)

export async function code(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<DeviceCodeState> {
  const { restaurantId } = authorizeInRestaurant(actor, 'devices.code')
  const stored = await deviceCodes.find(read(ctx), restaurantId, id)
  if (!stored) throw notFound('Code')
  return { state: toState(stored, ctx.now()), usedBy: stored.usedBy }
}

function toState(
  { usedAt, expiresAt, tries }: deviceCodes.DeviceCode,
  now: number,
): DeviceCodeState['state'] {
  if (usedAt !== null) return 'used'
  if (expiresAt <= now) return 'over'
  return tries >= maxAttempts ? 'link-only' : 'open'
}

export async function cancelCode(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'devices.cancelCode')
  await write(ctx, async ({ db }) => {
    if (!(await deviceCodes.cancel(db, restaurantId, id))) throw notFound('Code')
    await audit.record(ctx, db, actor, restaurantId, 'deviceCodes.cancel')
  })
}

/**
 * An unknown restaurant, and one without a code, are answered like wrong digits. Those are counted by restaurant and
 * address, by address, and in total; each code also counts its own attempts.
 */
export async function login(
  ctx: Ctx,
  actor: Actor,
  { restaurantName, digits, deviceName }: DeviceLogin,
): Promise<SignedIn<SignedInRestaurant>> {
  authorize(actor, 'devices.login')
  const restaurant = await findByName(ctx, restaurantName)
  const pair = `${restaurant?.id ?? nameKey(restaurantName)} ${actor.address}`
  const limits = [
    ['device-code', pair],
    ['device-code-address', actor.address],
    ['device-code-all', ''],
  ] as const
  for (const [limit, key] of limits) await ctx.limits.check(limit, key)
  const cookie =
    restaurant &&
    (await write(ctx, async (tx) => {
      const code = await deviceCodes.countAttempt(tx.db, restaurant.id, maxAttempts, ctx.now())
      const isRight =
        code && ctx.secrets.equal(code.digitsProof, signDigits(ctx, restaurant, code.id, digits))
      return isRight ? redeem(ctx, tx, actor, code, deviceName) : undefined
    }))
  if (!restaurant || cookie === undefined) {
    logSecurityEvent(ctx, actor, 'login-failed', { door: 'device code', restaurant: restaurant?.id ?? null })
    for (const [limit, key] of limits) await ctx.limits.take(limit, key)
    throw new Refusal('not_found', 'These digits are wrong, or the code has expired. Please check them.')
  }
  await ctx.limits.clear('device-code', pair)
  return { cookie, reply: { restaurantName: restaurant.name } }
}

const linkExpired = () =>
  new Refusal('not_found', 'This code was used already, or it has expired. Please ask for a new one.')

/** The restaurant that a link signs in to, for the person to check first. */
export async function link(ctx: Ctx, actor: Actor, { token }: DeviceLink): Promise<SignedInRestaurant> {
  authorize(actor, 'devices.link')
  const { restaurant } = await requireByToken(ctx, token)
  return { restaurantName: restaurant.name }
}

/** The link's token cannot be guessed, so there is no limit that could lock out the right one. */
export async function linkLogin(
  ctx: Ctx,
  actor: Actor,
  { token, deviceName }: DeviceLinkLogin,
): Promise<SignedIn<SignedInRestaurant>> {
  authorize(actor, 'devices.linkLogin')
  const { code, restaurant } = await requireByToken(ctx, token)
  const cookie = await write(ctx, (tx) => redeem(ctx, tx, actor, code, deviceName))
  if (cookie === undefined) throw linkExpired()
  return { cookie, reply: { restaurantName: restaurant.name } }
}

async function requireByToken(ctx: Ctx, token: string) {
  const code = await deviceCodes.findByToken(read(ctx), ctx.secrets.digest(token), ctx.now())
  const restaurant = code && (await restaurants.findById(read(ctx), code.restaurantId))
  if (!code || !restaurant) throw linkExpired()
  return { code, restaurant }
}

/** Undefined when another device used the code first. */
async function redeem(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  code: deviceCodes.DeviceCode,
  deviceName = '',
): Promise<string | undefined> {
  const { restaurantId } = code
  const by = deviceName || describeBrowser(actor.userAgent)
  if (!(await deviceCodes.markUsed(tx.db, code, { at: ctx.now(), by }))) return undefined
  await audit.record(ctx, tx.db, actor, restaurantId, 'devices.signIn', { device: by })
  const grant = { kind: 'device', subjectId: restaurantId, via: 'device-code' } as const
  return signIn(ctx, tx, actor, restaurantId, [grant], { deviceName })
}
