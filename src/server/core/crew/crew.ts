import type { CrewChange, CrewDetails, CrewMember, NewCrewMember } from '#contract/crew/crew.ts'
import { floorLimits } from '#contract/floor/floor.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as sessions from '../../storage/accounts/sessions.ts'
import * as crew from '../../storage/crew/crew.ts'
import * as floor from '../../storage/floor/floor.ts'
import * as sections from '../../storage/floor/sections.ts'
import * as pushSubscriptions from '../../storage/push/push-subscriptions.ts'
import { localToday, requireSameRestaurant, restaurantOf } from '../accounts/restaurants/restaurants.ts'
import { requireGrantStillValid, revoke } from '../accounts/sessions/sessions.ts'
import { queueKeyOf } from '../accounts/sign-in/login-throttle.ts'
import { refuseGuessablePassword } from '../accounts/sign-in/password-rules.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { logSecurityEvent } from '../audit/security-log.ts'
import { authorizeInRestaurant, requireRecentSignIn } from '../authorize.ts'
import type { Announce, Ctx } from '../ctx.ts'
import { conflict, forbidden, invalid, notFound } from '../errors.ts'
import { refillDays } from '../floor/planned-days.ts'
import { publishDevicesChanged } from '../push/subscriptions.ts'
import { read, type Tx, write } from '../transaction.ts'

export async function list(ctx: Ctx, actor: Actor): Promise<CrewMember[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'crew.list')
  return crew.list(read(ctx), restaurantId)
}

export async function byRestaurant(ctx: Ctx, actor: Actor, name: string): Promise<CrewMember[]> {
  const { restaurantId } = authorizeInRestaurant(actor, 'crew.byRestaurant')
  await requireSameRestaurant(ctx, read(ctx), restaurantId, name)
  return crew.list(read(ctx), restaurantId)
}

export async function details(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<CrewDetails> {
  const { restaurantId } = authorizeInRestaurant(actor, 'crew.details')
  const db = read(ctx)
  const member = await crew.find(db, restaurantId, id)
  if (!member) throw notFound('Crew member')
  const { name, role, username, pinHash } = member
  const today = await localToday(ctx, db, actor)
  const upcoming = await floor.countAssignmentsFrom(db, restaurantId, id, today)
  const atHostStand = await floor.countHostStandFrom(db, restaurantId, id, today)
  return { id, name, role, username, hasPin: pinHash !== null, upcoming, atHostStand }
}

export async function add(ctx: Ctx, actor: Actor, member: NewCrewMember): Promise<CrewMember> {
  const { restaurantId } = authorizeInRestaurant(actor, 'crew.add')
  return write(ctx, async ({ db, announce }) => {
    await restaurants.lock(db, restaurantId)
    if ((await crew.count(db, restaurantId)) >= floorLimits.crew) {
      throw conflict(`A restaurant has at most ${floorLimits.crew} crew members`)
    }
    const added = await crew.insert(db, restaurantId, { id: ctx.newId(), ...member, createdAt: ctx.now() })
    await audit.record(ctx, db, actor, restaurantId, 'crew.add', { name: added.name, role: added.role })
    announceCrewChanged(announce, restaurantId)
    return added
  })
}

/** The owner may change everything about a crew member; crew may change only their own PIN. */
export async function change(ctx: Ctx, actor: Actor, id: string, changes: CrewChange): Promise<CrewMember> {
  const { password, pin, username, ...details } = changes
  const { restaurantId, right } = authorizeInRestaurant(actor, 'crew.change')
  if (right === 'own') {
    if (actor.crewMember?.id !== id)
      throw (await crew.find(read(ctx), restaurantId, id)) ? forbidden() : notFound('Crew member')
    if (password !== undefined || username !== undefined || Object.keys(details).length > 0) throw forbidden()
  }
  const changesLogin = password !== undefined || pin !== undefined || username !== undefined
  if (right === 'login-recent' && changesLogin) requireRecentSignIn(actor, 'crew.change')
  const before = await crew.find(read(ctx), restaurantId, id)
  if (!before) throw notFound('Crew member')
  const login = username === undefined ? before.username : username
  if (login !== null && password === undefined && before.passwordHash === null) {
    throw invalid('Please enter a password for this username')
  }
  if (password !== undefined) {
    if (login === null) throw invalid('Please enter a username')
    refuseGuessablePassword(ctx, password, [(await restaurantOf(read(ctx), actor)).name, login])
  }
  const values = {
    ...(details.name !== undefined && { name: details.name }),
    ...(details.role !== undefined && { role: details.role }),
    ...(details.sectionId !== undefined && { sectionId: details.sectionId }),
    ...(pin !== undefined && {
      pinHash: pin === null ? null : await ctx.passwords.hash(pin, queueKeyOf(actor)),
    }),
    ...(username !== undefined && { username }),
    ...(username === null && { passwordHash: null }),
    ...(password !== undefined && { passwordHash: await ctx.passwords.hash(password, queueKeyOf(actor)) }),
  }
  if (Object.keys(values).length === 0) return { id, name: before.name, role: before.role }
  const member = await write(ctx, async (tx) => {
    await requireGrantStillValid(ctx, tx.db, actor, 'crew.change')
    await restaurants.lock(tx.db, restaurantId)
    if (username) {
      const holder = await crew.findByUsername(tx.db, username)
      if (holder && holder.id !== id) throw conflict('This username is not available')
    }
    if (details.sectionId && !(await sections.find(tx.db, restaurantId, details.sectionId)))
      throw notFound('Section')
    const current = await crew.lock(tx.db, restaurantId, id)
    if (!current) throw notFound('Crew member')
    const member = await crew.change(tx.db, restaurantId, id, values)
    if (!member) throw notFound('Crew member')
    const isNoLongerHost = current.role === 'Host' && member.role !== 'Host'
    const offHostStand = isNoLongerHost
      ? await floor.unassignHostStandFrom(tx.db, restaurantId, id, await localToday(ctx, tx.db, actor))
      : 0
    // Who is a Host again stands where the weekly pattern has them.
    if (member.role === 'Host' && current.role !== 'Host')
      await refillDays(tx.db, restaurantId, await localToday(ctx, tx.db, actor))
    await audit.record(ctx, tx.db, actor, restaurantId, 'crew.change', {
      name: before.name,
      changed: definedFields({
        name: details.name,
        role: details.role,
        section: details.sectionId,
        pin,
        username,
        password,
      }),
      ...(offHostStand > 0 && { offHostStand }),
    })
    if (pin !== undefined) {
      await sessions.removePinUnlocks(tx.db, id)
      await pushSubscriptions.removeOfCrew(tx.db, restaurantId, id, 'own login')
    }
    if (password !== undefined || (username !== undefined && username !== current.username))
      await revoke(ctx, tx, actor, { kind: 'crew', subjectId: id, keepOwn: true })
    if (member.name !== current.name || member.role !== current.role)
      announceCrewChanged(tx.announce, restaurantId)
    publishMemberChanged(ctx, tx, id)
    return member
  })
  if (pin !== undefined) {
    publishDevicesChanged(ctx, [restaurantId])
  }
  if (changesLogin) logSecurityEvent(ctx, actor, 'credential-changed', { of: 'crew', crewMember: id })
  return member
}

const definedFields = (fields: Record<string, unknown>): string[] =>
  Object.keys(fields).filter((field) => fields[field] !== undefined)

export const announceCrewChanged = (announce: Announce, restaurantId: string): void =>
  announce({ kind: 'staff', restaurantId }, { type: 'crew-changed' })

/** After the commit, screens that act as this crew member must prove again that they may. */
export const publishMemberChanged = (ctx: Ctx, tx: Tx, crewMemberId: string): void =>
  tx.afterCommit(() => ctx.bus.publish([{ kind: 'crew-member-changed', crewMemberId }]))
