import type { DeviceChange, SignedInDevice } from '#contract/devices.ts'
import * as crew from '../../storage/crew.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as sessions from '../../storage/sessions.ts'
import * as signedIn from '../../storage/logins.ts'
import { type Actor, findGrant } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import * as audit from '../audit/audit.ts'
import { describeBrowser } from './user-agent.ts'
import { afterCommit, read, write } from '../transaction.ts'
import type { Ctx } from '../ports.ts'
import { forbidden, notFound } from '../errors.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { lastUseOf, publishSessionsChanged } from './sessions.ts'

/** Every browser that may use the crew portal, the one used last first. */
export async function list(ctx: Ctx, actor: Actor): Promise<SignedInDevice[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'devices.list')
  const db = read(ctx)
  const devices = await listDevices(ctx, db, restaurantId)
  const people = new Map((await crew.list(db, restaurantId)).map(({ id, name }) => [id, name]))
  return devices
    .map((device) => toDevice(device, { actor, people, now: ctx.now() }))
    .toSorted((a, b) => Number(b.isThisDevice) - Number(a.isThisDevice) || b.lastUsedAt - a.lastUsedAt)
}

type Device = { id: string; logins: signedIn.Login[]; entry: signedIn.Login }

/** `entry` is what lets it use the crew portal. */
async function listDevices(ctx: Ctx, db: Db, restaurantId: string): Promise<Device[]> {
  const now = ctx.now()
  const all = await signedIn.listByRestaurant(db, restaurantId, now)
  return [...Map.groupBy(all, ({ id }) => id)].flatMap(([id, logins]) => {
    const usable = logins.filter(({ idleUntil, isPushedTo }) => idleUntil > now || isPushedTo)
    const entry = usable.find(({ kind }) => kind === 'device') ?? usable.find(({ kind }) => kind === 'crew')
    return entry ? [{ id, logins, entry }] : []
  })
}

function toDevice(
  { id, logins, entry }: Device,
  { actor, people, now }: { actor: Actor; people: Map<string, string>; now: number },
): SignedInDevice {
  const { name, browser, kind, via, authAt } = entry
  const member = logins.find((login) => login.kind === 'crew')
  return {
    id,
    name: name ?? browser ?? describeBrowser(null),
    browser,
    via: kind === 'crew' || via === 'identity-provider' || via === 'passkey' ? 'crew-login' : via,
    person: (member && people.get(member.subjectId)) ?? null,
    signedInAt: authAt,
    lastUsedAt: Math.max(...logins.map(lastUseOf)),
    isThisDevice: id === actor.sessionId,
    isOwners: hasOwnerLogin(logins, now),
    isAlertedOnly: logins.every(({ idleUntil }) => idleUntil <= now),
  }
}

const hasOwnerLogin = (logins: signedIn.Login[], now: number): boolean =>
  logins.some(({ kind, idleUntil }) => kind === 'owner' && idleUntil > now)

export async function rename(
  ctx: Ctx,
  actor: Actor,
  { id, name }: DeviceChange & { id: string },
): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'devices.rename')
  await write(ctx, async (db) => {
    const device = await requireDevice(ctx, db, restaurantId, id)
    if (!(await signedIn.rename(db, restaurantId, id, name))) throw notFound('Device')
    await audit.record(ctx, db, actor, restaurantId, 'devices.rename', {
      from: displayName(device),
      to: name,
    })
  })
}

/** Ends all that is signed in there; its screens and its alerts stop at once. */
export async function signOut(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'devices.signOut')
  await write(ctx, async (db) => {
    const device = await requireDevice(ctx, db, restaurantId, id)
    if (hasOwnerLogin(device.logins, ctx.now()) && !findGrant(actor, 'owner'))
      throw forbidden('The owner is signed in there. Only the owner can sign it out.')
    if (!(await sessions.removeFromRestaurant(db, restaurantId, id))) throw notFound('Device')
    await audit.record(ctx, db, actor, restaurantId, 'devices.signOut', { device: displayName(device) })
    afterCommit(() => {
      publishSessionsChanged(ctx, [id])
      logSecurityEvent(ctx, actor, 'grant-revoked', { because: 'device signed out', ended: id })
    })
  })
}

async function requireDevice(ctx: Ctx, db: Db, restaurantId: string, id: string): Promise<Device> {
  const device = (await listDevices(ctx, db, restaurantId)).find((one) => one.id === id)
  if (!device) throw notFound('Device')
  return device
}

const displayName = ({ entry: { name, browser } }: Device): string => name ?? browser ?? describeBrowser(null)
