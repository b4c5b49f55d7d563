import type { DeviceChange, SignedInDevice } from '#contract/accounts/devices.ts'
import * as logins from '../../../storage/accounts/logins.ts'
import type { Login } from '../../../storage/accounts/logins.ts'
import * as sessions from '../../../storage/accounts/sessions.ts'
import * as crew from '../../../storage/crew/crew.ts'
import type { Db } from '../../../storage/engine/types.ts'
import { type Actor, findGrant } from '../../actor.ts'
import * as audit from '../../audit/audit.ts'
import { logSecurityEvent } from '../../audit/security-log.ts'
import { authorizeInRestaurant } from '../../authorize.ts'
import type { Ctx } from '../../ctx.ts'
import { forbidden, notFound } from '../../errors.ts'
import { read, write } from '../../transaction.ts'
import { lastUseOf, ownFirstThenLastUsed, publishSessionsChanged } from '../sessions/sessions.ts'
import { deviceName } from '../sign-in/user-agent.ts'

/** All browsers that may use the crew portal. */
export async function list(ctx: Ctx, actor: Actor): Promise<SignedInDevice[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'devices.list')
  const db = read(ctx)
  const devices = await listDevices(ctx, db, restaurantId)
  const people = new Map((await crew.list(db, restaurantId)).map(({ id, name }) => [id, name]))
  return devices
    .map((device) => toDevice(device, { actor, people, now: ctx.now() }))
    .toSorted(ownFirstThenLastUsed(actor))
}

type Device = {
  id: string
  logins: Login[]
  /** The login that opens the crew portal. */
  entry: Login
}

async function listDevices(ctx: Ctx, db: Db, restaurantId: string): Promise<Device[]> {
  const now = ctx.now()
  const all = await logins.listByRestaurant(db, restaurantId, now)
  return [...Map.groupBy(all, ({ id }) => id)].flatMap(([id, sessionLogins]) => {
    const usable = sessionLogins.filter(({ idleUntil, isPushedTo }) => idleUntil > now || isPushedTo)
    const entry = usable.find(({ kind }) => kind === 'device') ?? usable.find(({ kind }) => kind === 'crew')
    return entry ? [{ id, logins: sessionLogins, entry }] : []
  })
}

function toDevice(
  { id, logins: deviceLogins, entry }: Device,
  { actor, people, now }: { actor: Actor; people: Map<string, string>; now: number },
): SignedInDevice {
  const { browser, kind, via, authAt } = entry
  const member = deviceLogins.find((login) => login.kind === 'crew')
  return {
    id,
    name: deviceName(entry),
    browser,
    via: kind === 'crew' || via === 'identity-provider' || via === 'passkey' ? 'crew-login' : via,
    person: (member && people.get(member.subjectId)) ?? null,
    signedInAt: authAt,
    lastUsedAt: lastUseOf(deviceLogins),
    isThisDevice: id === actor.sessionId,
    isOwners: hasOwnerLogin(deviceLogins, now),
    isAlertedOnly: deviceLogins.every(({ idleUntil }) => idleUntil <= now),
  }
}

const hasOwnerLogin = (deviceLogins: Login[], now: number): boolean =>
  deviceLogins.some(({ kind, idleUntil }) => kind === 'owner' && idleUntil > now)

export async function rename(
  ctx: Ctx,
  actor: Actor,
  { id, name }: DeviceChange & { id: string },
): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'devices.rename')
  await write(ctx, async ({ db }) => {
    const device = await requireDevice(ctx, db, restaurantId, id)
    if (!(await logins.rename(db, restaurantId, id, name))) throw notFound('Device')
    const from = deviceName(device.entry)
    await audit.record(ctx, db, actor, restaurantId, 'devices.rename', { from, to: name })
  })
}

/** Ends all logins of the device; its screens and alerts stop at once. */
export async function signOut(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'devices.signOut')
  await write(ctx, async ({ db, afterCommit }) => {
    const device = await requireDevice(ctx, db, restaurantId, id)
    if (hasOwnerLogin(device.logins, ctx.now()) && !findGrant(actor, 'owner'))
      throw forbidden('The owner is signed in there. Only the owner can sign it out.')
    if (!(await sessions.removeFromRestaurant(db, restaurantId, id))) throw notFound('Device')
    await audit.record(ctx, db, actor, restaurantId, 'devices.signOut', {
      device: deviceName(device.entry),
    })
    afterCommit(() => {
      publishSessionsChanged(ctx, [id])
      logSecurityEvent(ctx, actor, 'grant-revoked', { because: 'device signed out', ended: id })
    })
  })
}

async function requireDevice(ctx: Ctx, db: Db, restaurantId: string, id: string): Promise<Device> {
  const device = (await listDevices(ctx, db, restaurantId)).find((candidate) => candidate.id === id)
  if (!device) throw notFound('Device')
  return device
}
