import type { CrewChange, CrewDetails, CrewMember, NewCrewMember } from '#contract/crew.ts'
import { limits } from '#contract/floor.ts'
import * as crew from '../storage/crew.ts'
import * as devices from '../storage/devices.ts'
import * as floor from '../storage/floor.ts'
import * as sessionRows from '../storage/sessions.ts'
import { refuseGuessable } from './accounts.ts'
import { type Actor, mayIn } from './actor.ts'
import { type Ctx, read, write } from './context.ts'
import { tellChanged as tellDevicesChanged } from './devices.ts'
import { conflict, forbidden, invalid, notFound, Refusal } from './errors.ts'
import { agree, localDay, of } from './restaurants.ts'
import { revoke, tellChanged, unlockMs } from './sessions.ts'

export async function list(ctx: Ctx, actor: Actor): Promise<CrewMember[]> {
  const { restaurantId } = mayIn(actor, 'GET /api/crew')
  return crew.list(read(ctx), restaurantId)
}

export async function byRestaurant(ctx: Ctx, actor: Actor, name: string): Promise<CrewMember[]> {
  const { restaurantId } = mayIn(actor, 'GET /api/crew-by-restaurant')
  await agree(ctx, read(ctx), restaurantId, name)
  return crew.list(read(ctx), restaurantId)
}

export async function details(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<CrewDetails> {
  const { restaurantId } = mayIn(actor, 'GET /api/crew/:id')
  const db = read(ctx)
  const member = await crew.find(db, restaurantId, id)
  if (!member) throw notFound('Crew member')
  const { name, role, username, pinHash } = member
  const today = localDay(ctx.now(), (await of(db, actor)).timeZone)
  const upcoming = await floor.countAssignmentsFrom(db, restaurantId, id, today)
  return { id, name, role, username, hasPin: pinHash !== null, upcoming }
}

export async function add(ctx: Ctx, actor: Actor, member: NewCrewMember): Promise<CrewMember> {
  const { restaurantId } = mayIn(actor, 'POST /api/crew')
  return write(ctx, async (db) => {
    await floor.takeTurn(db, restaurantId)
    if ((await crew.count(db, restaurantId)) >= limits.crew) {
      throw conflict(`A restaurant has at most ${limits.crew} crew members`)
    }
    return crew.insert(db, restaurantId, { id: ctx.newId(), ...member, createdAt: ctx.now() })
  })
}

/** The owner changes everything about a crew member; crew may change their own PIN and nothing else. */
export async function change(
  ctx: Ctx,
  actor: Actor,
  id: string,
  { password, pin, username, ...plain }: CrewChange,
): Promise<CrewMember> {
  const { restaurantId, right } = mayIn(actor, 'PATCH /api/crew/:id')
  if (right === 'own') {
    if (actor.crewMember?.id !== id)
      throw (await crew.find(read(ctx), restaurantId, id)) ? forbidden() : notFound('Crew member')
    if (password !== undefined || username !== undefined || Object.keys(plain).length > 0) throw forbidden()
  }
  const before = await crew.find(read(ctx), restaurantId, id)
  if (!before) throw notFound('Crew member')
  const login = username === undefined ? before.username : username
  if (login !== null && password === undefined && before.passwordHash === null) {
    throw invalid('Please enter a password for this username')
  }
  if (password !== undefined) {
    if (login === null) throw invalid('Please enter a username')
    refuseGuessable(ctx, password, [(await of(read(ctx), actor)).name, login])
  }
  const values = {
    ...(plain.name !== undefined && { name: plain.name }),
    ...(plain.role !== undefined && { role: plain.role }),
    ...(pin !== undefined && { pinHash: pin === null ? null : await ctx.passwords.hash(pin) }),
    ...(username !== undefined && { username }),
    ...(username === null && { passwordHash: null }),
    ...(password !== undefined && { passwordHash: await ctx.passwords.hash(password) }),
  }
  if (Object.keys(values).length === 0) return { id, name: before.name, role: before.role }
  const { member, ended } = await write(ctx, async (db) => {
    await floor.takeTurn(db, restaurantId)
    if (username) {
      const holder = await crew.findByUsername(db, username)
      if (holder && holder.id !== id) throw conflict('This username is not available')
    }
    const member = await crew.change(db, restaurantId, id, values)
    if (!member) throw notFound('Crew member')
    if (pin !== undefined) {
      await sessionRows.lockCrew(db, id)
      await devices.removeOfCrew(db, restaurantId, id, 'own login')
    }
    const ended =
      password !== undefined || login !== before.username ? await revoke(db, 'crew', id, actor) : []
    return { member, ended }
  })
  if (pin !== undefined) {
    await ctx.limits.clear('pin', id)
    tellDevicesChanged(ctx, [restaurantId])
  }
  tellChanged(ctx, ended)
  return member
}

/** History keeps the name; future assignments, login and PIN go. */
export async function remove(ctx: Ctx, actor: Actor, id: string): Promise<void> {
  const { restaurantId } = mayIn(actor, 'DELETE /api/crew/:id')
  const ended = await write(ctx, async (db) => {
    await floor.takeTurn(db, restaurantId)
    const { timeZone } = await of(db, actor)
    if (!(await crew.remove(db, restaurantId, id, ctx.now()))) throw notFound('Crew member')
    await floor.unassignCrewFrom(db, restaurantId, id, localDay(ctx.now(), timeZone))
    await devices.removeOfCrew(db, restaurantId, id, 'nobody')
    return revoke(db, 'crew', id, null)
  })
  tellDevicesChanged(ctx, [restaurantId])
  tellChanged(ctx, ended)
}

/** Chooses whom this screen acts as. Attribution, not authentication, unless the member has a PIN. */
export async function choose(
  ctx: Ctx,
  actor: Actor,
  { crewMemberId, pin }: { crewMemberId: string; pin?: string | undefined },
): Promise<CrewMember> {
  const { restaurantId, right } = mayIn(actor, 'set-crew-member-context')
  const member = await crew.find(read(ctx), restaurantId, crewMemberId)
  if (!member) throw notFound('Crew member')
  if (right === 'own' && actor.grants.get('crew')?.subjectId !== crewMemberId) throw forbidden()
  if (right !== 'own' && member.pinHash !== null) await unlock(ctx, actor, member.id, member.pinHash, pin)
  return { id: member.id, name: member.name, role: member.role }
}

async function unlock(
  ctx: Ctx,
  { sessionId }: Actor,
  crewMemberId: string,
  pinHash: string,
  pin: string | undefined,
): Promise<void> {
  if (sessionId === null) throw forbidden()
  if (await sessionRows.isUnlocked(read(ctx), sessionId, crewMemberId, ctx.now())) return
  if (pin === undefined) throw new Refusal('pin_required', 'Please enter your PIN')
  await ctx.limits.take('pin', crewMemberId)
  if (!(await ctx.passwords.verify(pinHash, pin))) throw new Refusal('pin_required', 'Wrong PIN')
  await ctx.limits.clear('pin', crewMemberId)
  await write(ctx, (db) =>
    sessionRows.unlockCrew(db, { sessionId, crewMemberId, until: ctx.now() + unlockMs }),
  )
}
