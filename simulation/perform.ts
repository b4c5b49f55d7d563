import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { hoursOf } from './availability.ts'
import { settled, turn } from './event-loop.ts'
import {
  codeOf,
  connectScreen,
  noteListeners,
  phonesOf,
  type Restaurant,
  revoke,
  screensOf,
  tabletsOf,
  type World,
} from './restaurant.ts'
import { followMoves, readMoves } from './seats.ts'
import { betweenMs } from './server.ts'
import { changeShifts } from './shifts/change-shifts.ts'
import { confirmOwner } from './shifts/owner.ts'
import type { Step } from './steps.ts'

/** Within it a started server has done what was due while it did not run. */
const catchUpMs = 1_500

const pick = <T>(all: readonly T[], index: number): T => {
  const picked = all[index % all.length]
  if (picked === undefined) throw new Error('Nothing to pick from')
  return picked
}

/** Does one step, and waits until everything that it causes at once has arrived. */
export async function perform(world: World, step: Step): Promise<void> {
  const { server, push } = world
  const phone = (index: number) => pick(phonesOf(world), index)
  const tablet = (index: number) => pick(tabletsOf(world), index)
  const screen = (index: number) => pick(screensOf(world), index)
  await passTime(world, step.afterMs)
  switch (step.do) {
    case 'wait':
      break
    case 'tap':
      await phone(step.phone).tap(step, step)
      break
    case 'retry':
      await phone(step.phone).retry()
      break
    case 'cancel':
      await phone(step.phone).cancel(step.which, step)
      break
    case 'still-waiting':
      await phone(step.phone).stillWaiting(step.which, step)
      break
    case 'reload':
      await phone(step.phone).reload(step)
      break
    case 'act':
      tablet(step.tablet).act(step.act, step.which)
      break
    case 'intrude':
      await phone(step.phone).intrude(step.act, step.which)
      break
    case 'at-once':
      for (const each of step.acts) tablet(each.tablet).act(each.act, each.which)
      await Promise.all([
        ...step.taps.map((tap) => phone(tap.phone).tap(tap)),
        ...step.cancels.map((each) => phone(each.phone).cancel(each.which)),
      ])
      break
    case 'connect':
      await connectScreen(world, screen(step.screen))
      break
    case 'cut':
    case 'freeze':
    case 'thaw':
      screen(step.screen)[step.do]()
      break
    case 'leave':
      tablet(step.tablet).leave(step.forMs)
      break
    case 'add-crew':
    case 'add-table':
    case 'remove-crew':
      await changeFloor(pick(world.restaurants, 0), step.do)
      break
    case 'revoke':
      await revoke(world, tablet(step.which))
      break
    case 'push-fails':
      pick(push.devices, step.device).next = step.answer
      break
    case 'stop':
    case 'kill': {
      const answers = Promise.all(step.taps.map((tap) => phone(tap.phone).tap(tap)))
      answers.catch(() => {})
      for (let turns = 0; turns < step.afterTurns; turns++) await turn()
      const place = step.which % server.nodeCount
      const cutOff = screensOf(world).filter((each) => each.isOn(server.nodeAt(place)))
      for (const each of cutOff) if (step.do === 'kill' || each.isFrozen) each.cut()
      await server[step.do](place)
      for (const each of cutOff) each.cut()
      if (server.isRunning) await passTime(world, betweenMs)
      await server.start()
      await answers
      await passTime(world, catchUpMs)
      break
    }
    case 'lose-broker':
      server.broker.lose()
      setTimeout(() => server.broker.regain(), step.forMs)
      // The other nodes are not told.
      if (step.signedOut !== null) await revoke(world, tablet(step.signedOut))
      break
    case 'move-party':
    case 'undo-move':
    case 'correct-table':
    case 'new-session':
      await changeSeats(pick(world.restaurants, 0), step)
      break
    case 'set-hours':
    case 'pause':
    case 'resume':
    case 'mute-table':
    case 'unmute-table':
    case 'pay':
    case 'lapse':
    case 'make-button':
      await changeAvailability(pick(world.restaurants, 0), step)
      break
    case 'hand-over':
    case 'assign-section':
    case 'set-pin':
    case 'guess-pin':
    case 'manage':
    case 'end-manager':
      await changeShifts(pick(world.restaurants, 0), step)
      break
    default:
      throw new Error(`No such step: ${JSON.stringify(step satisfies never)}`)
  }
  await settled(() => server.whenIdle())
  for (const restaurant of world.restaurants) noteListeners(restaurant)
}

/** Timers fire in their order, and what they cause is done before the next one. */
export async function passTime({ server, time }: World, ms: number): Promise<void> {
  const until = time.now() + ms
  while (time.runNext(until)) await settled(() => server.whenIdle())
}

/** Also who is not at work can be removed: here, always somebody who was added before. */
async function changeFloor(
  restaurant: Restaurant,
  change: 'add-crew' | 'add-table' | 'remove-crew',
): Promise<void> {
  const { owner } = restaurant
  const number = ++restaurant.added
  if (change === 'add-table') {
    await owner.ok(api.floor.addTable, { body: { tableNumber: `T${number}` } })
  } else if (change === 'add-crew') {
    await owner.ok(api.crew.add, { body: { name: `Extra ${number}`, role: 'Server' } })
  } else {
    const extra = (await owner.ok(api.crew.list, {})).find(({ name }) => name.startsWith('Extra'))
    if (extra) await owner.ok(api.crew.remove, { params: { id: extra.id } })
  }
}

type Seating = Extract<Step, { do: 'move-party' | 'undo-move' | 'correct-table' | 'new-session' }>

/** Parties move only in the first restaurant, and only among the tables that it opened with. */
async function changeSeats(restaurant: Restaurant, step: Seating): Promise<void> {
  const { phones, tablets, tableIds, moves } = restaurant
  const elsewhere = (from: string, to: number) =>
    `${((Number(from) + (to % Math.max(1, tableIds.length - 1))) % tableIds.length) + 1}`
  switch (step.do) {
    case 'move-party': {
      if (tableIds.length === 1) break
      const from = pick(phones, step.phone).seat
      pick(tablets, step.tablet).moveParty(step.id, from, elsewhere(from, step.to), moves)
      break
    }
    case 'undo-move': {
      const id = moves?.at(step.which % 2 === 0 ? -1 : -1 - (step.which % moves.length))
      if (id !== undefined) pick(tablets, step.tablet).undoMove(id)
      break
    }
    case 'correct-table': {
      if (tableIds.length === 1) break
      const phone = pick(phones, step.phone)
      const to = elsewhere(phone.tableNumber, step.to)
      const known = await readMoves(restaurant)
      await phone.correctTable(
        to,
        step.scans ? await codeOf(restaurant, to) : null,
        (visit) => followMoves(known, visit) !== to,
      )
      break
    }
    case 'new-session':
      await pick(phones, step.phone).startAnew()
      break
    default:
      throw new Error(`No such step: ${JSON.stringify(step satisfies never)}`)
  }
}

type Closing = Extract<
  Step,
  { do: 'set-hours' | 'pause' | 'resume' | 'mute-table' | 'unmute-table' | 'pay' | 'lapse' | 'make-button' }
>

/** Only the first restaurant closes. */
async function changeAvailability(restaurant: Restaurant, step: Closing): Promise<void> {
  const { owner, tableIds, tablets, availability, world } = restaurant
  const now = world.time.now()
  if (!availability) return
  switch (step.do) {
    case 'set-hours': {
      const hours = hoursOf(step.hours, now)
      const week = hours && Array.from({ length: 7 }, () => [hours])
      await owner.ok(api.opening.setHours, { body: { hours: week } })
      availability.hours.set(hours, now)
      break
    }
    case 'pause':
      for (const serviceType of step.needs) {
        const { minutes } = step
        await owner.ok(api.opening.pause, { body: { serviceType, minutes, reason: 'kitchen' } })
        availability.pauses[serviceType].set(now + minutes * minuteMs, now)
      }
      break
    case 'resume':
      await owner.ok(api.opening.resume, { params: { serviceType: step.need } })
      availability.pauses[step.need].set(0, now)
      break
    case 'mute-table':
    case 'unmute-table': {
      const tableNumber = `${(step.table % tableIds.length) + 1}`
      const until = step.do === 'mute-table' ? now + (step.forMs ?? Infinity) : 0
      pick(tablets, step.tablet).mute(tableNumber, until, availability.muteOf(tableNumber))
      break
    }
    case 'pay':
    case 'lapse': {
      const [plan] = availability.plan.between(now, now).slice(-1)
      if (plan?.value === (step.do === 'pay')) break
      await (step.do === 'pay' ? pay(restaurant) : letLapse(restaurant))
      availability.plan.set(step.do === 'pay', now)
      break
    }
    case 'make-button': {
      const tableId = pick(tableIds, step.table)
      const { status } = await owner.call(api.tableButtons.add, { body: { tableId, serviceType: 'check' } })
      availability.paidCalls.push({ at: now, status })
      break
    }
    default:
      throw new Error(`No such step: ${JSON.stringify(step satisfies never)}`)
  }
}

/** The payment provider tells of each of these steps by itself, too, and both may not be at it at once. */
async function pay({ owner, world }: Restaurant): Promise<void> {
  await confirmOwner(owner)
  const { clientSecret, priceId } = await owner.ok(api.billing.create, { body: { planType: 'monthly' } })
  const setupIntentId = clientSecret.split('_secret_')[0] ?? ''
  const body = { clientSecret, testCard: 'ok' } as const
  await owner.ok(api.billing.confirmSandboxSetup, { params: { id: setupIntentId }, body })
  await settled(() => world.server.whenIdle())
  await owner.ok(api.billing.confirm, { body: { setupIntentId, priceId } })
  await settled(() => world.server.whenIdle())
}

/** The owner cancels, and the month that is paid for passes. */
async function letLapse({ owner, world }: Restaurant): Promise<void> {
  await confirmOwner(owner)
  await owner.ok(api.billing.cancel, {})
  await settled(() => world.server.whenIdle())
  await owner.ok(api.billing.advanceSandbox, {})
  await settled(() => world.server.whenIdle())
}
