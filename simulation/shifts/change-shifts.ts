import { api } from '#contract/api.ts'
import { connectScreen, type Restaurant } from '../restaurant.ts'
import type { Step } from '../steps.ts'
import type { Tablet } from '../tablet.ts'
import { endManager } from './manager.ts'
import { confirmOwner } from './owner.ts'

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
      const withPins = tablets.filter(({ pin }) => pin !== null)
      const victim = withPins[step.of % withPins.length]
      // Whoever has entered it need not do so again for twelve hours.
      const others = tablets.filter((tablet) => tablet !== victim && !tablet.isFrozen)
      const guesser = others[step.tablet % others.length]
      if (!victim || !guesser) break
      await connectScreen(world, guesser)
      const isTaken = await guesser.tryPin(victim.crewMemberId, victim.pin === '0000' ? '1111' : '0000')
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
