import { api } from '#contract/api.ts'
import { Setting } from '../availability.ts'
import { confirmOwner, type Restaurant } from '../restaurant.ts'
import type { Step } from '../steps.ts'
import type { Tablet } from '../tablet.ts'
import type { Browser } from '../wire.ts'
import { Manager } from './manager.ts'

/** Who looks after the tables, and who may manage, where that changes. */
export type Shifts = {
  sectionIds: string[]
  /** Who is assigned to each table, by its number; empty for nobody. */
  inCharge: Map<string, Setting<string>>
  /** Whose requests have been handed over, when. */
  handedOver: { from: string; at: number }[]
  /** Whose PIN was guessed. */
  guessed: string[]
  manager: Manager
}

type Opened = { name: string; owner: Browser; tableIds: string[]; tablets: Tablet[]; assigned: boolean }

/** Two sections, in which the tables take turns, and a manager. */
export async function openShifts(
  { name, owner, tableIds, tablets, assigned }: Opened,
  browser: Browser,
  now: () => number,
): Promise<Shifts> {
  const sectionIds: string[] = []
  for (const section of ['Terrace', 'Hall'])
    sectionIds.push((await owner.ok(api.sections.add, { body: { name: section } })).id)
  const tables = tableIds.map((tableId, index) => ({ tableId, sectionId: sectionIds[index % 2] ?? null }))
  await owner.ok(api.sections.arrange, { body: { tables } })
  const inCharge = tableIds.map((_, index) => {
    const member = assigned ? tablets[index % tablets.length]?.crewMemberId : undefined
    return [`${index + 1}`, new Setting(member ?? '')] as const
  })
  const manager = new Manager(browser, name, now)
  return { sectionIds, inCharge: new Map(inCharge), handedOver: [], guessed: [], manager }
}

/** Each password is another one. */
async function setPassword({ owner, id, world }: Restaurant, manager: Manager): Promise<void> {
  await confirmOwner(owner)
  const password = `violet-harbour-${world.time.now()}`
  const { username } = manager
  await owner.ok(api.managers.setCredentials, { body: { username, password } })
  const { id: managerId } = await world.server.app.ctx.db.reader
    .selectFrom('manager')
    .select('id')
    .where('restaurantId', '=', id)
    .executeTakeFirstOrThrow()
  Object.assign(manager, { password, id: managerId })
}

/** The owner adds the manager again first, after a removal. */
export async function signInManager(restaurant: Restaurant, manager: Manager): Promise<void> {
  if (manager.id === null) await setPassword(restaurant, manager)
  await manager.signIn()
}

export type ShiftStep = Extract<
  Step,
  { do: 'hand-over' | 'assign-section' | 'set-pin' | 'guess-pin' | 'manage' | 'end-manager' }
>

/** Only in the first restaurant. */
export async function changeShifts(restaurant: Restaurant, step: ShiftStep): Promise<void> {
  const { owner, tablets, shifts, world } = restaurant
  const now = world.time.now()
  if (!shifts) return
  const at = (index: number): Tablet | undefined => tablets[index % tablets.length]
  switch (step.do) {
    case 'hand-over': {
      const from = at(step.tablet)
      const to = step.to === null ? undefined : at(step.to)
      from?.handOver(to === from ? null : (to?.crewMemberId ?? null), shifts.handedOver)
      break
    }
    case 'assign-section': {
      const place = step.section % shifts.sectionIds.length
      const crewMemberId = step.tablet === null ? null : (at(step.tablet)?.crewMemberId ?? null)
      const own = [...shifts.inCharge.values()].filter((_, index) => index % 2 === place)
      if (own.length === 0) break
      const sections = [{ sectionId: shifts.sectionIds[place] ?? '', crewMemberId }]
      const date = new Date(now).toISOString().slice(0, 10)
      await owner.ok(api.sections.assign, { body: { date, sections } })
      for (const setting of own) setting.set(crewMemberId ?? '', now)
      break
    }
    case 'set-pin': {
      // A PIN also turns the alerts of its member off, which are somebody else's subject.
      const tablet = at(step.tablet)
      if (!tablet || tablet.alerts) break
      await confirmOwner(owner)
      tablet.pin = step.pin
      await owner.ok(api.crew.change, { params: { id: tablet.crewMemberId }, body: { pin: step.pin } })
      break
    }
    case 'guess-pin': {
      const [tablet, victim] = [at(step.tablet), at(step.of)]
      if (!tablet || !victim || tablet === victim || victim.pin === null) break
      const isTaken = await tablet.tryPin(victim.crewMemberId, victim.pin === '0000' ? '1111' : '0000')
      if (isTaken) shifts.guessed.push(victim.crewMemberId)
      break
    }
    case 'manage':
      await shifts.manager.manage()
      break
    case 'end-manager':
      await endManager(restaurant, shifts.manager, step.how)
      break
    default:
      throw new Error(`No such step: ${JSON.stringify(step satisfies never)}`)
  }
}

async function endManager(
  restaurant: Restaurant,
  manager: Manager,
  how: 'sign-out' | 'password' | 'removal',
): Promise<void> {
  const { owner } = restaurant
  if (manager.id === null) return
  const params = { id: manager.id }
  if (how === 'sign-out') await owner.ok(api.managers.signOut, { params })
  else if (how === 'password') await setPassword(restaurant, manager)
  else {
    await confirmOwner(owner)
    await owner.ok(api.managers.remove, { params })
    manager.id = null
  }
  manager.mayManage = false
}
