import { api } from '#contract/api.ts'
import { settled, turn } from './event-loop.ts'
import { connectScreen, type Restaurant, revoke } from './restaurant.ts'
import type { Step } from './steps.ts'

/** Within it a started server has done what was due while it did not run. */
const catchUpMs = 1_500

const pick = <T>(all: readonly T[], index: number): T => {
  const picked = all[index % all.length]
  if (picked === undefined) throw new Error('Nothing to pick from')
  return picked
}

/** Does one step, and waits until everything that it causes at once has arrived. */
export async function perform(restaurant: Restaurant, step: Step): Promise<void> {
  const { phones, tablets, screens, server } = restaurant
  await passTime(restaurant, step.afterMs)
  switch (step.do) {
    case 'tap':
      await pick(phones, step.phone).tap(step.id, step.serviceType, step.loss)
      break
    case 'retry':
      await pick(phones, step.phone).retry()
      break
    case 'cancel':
      await pick(phones, step.phone).cancel(step.which, step.loss)
      break
    case 'still-waiting':
      await pick(phones, step.phone).stillWaiting(step.which, step.loss)
      break
    case 'reload':
      await pick(phones, step.phone).reload(step.loss)
      break
    case 'act':
      pick(tablets, step.tablet).act(step.act, step.which)
      break
    case 'connect':
      await connectScreen(restaurant, pick(screens, step.screen))
      break
    case 'cut':
    case 'freeze':
    case 'thaw':
      pick(screens, step.screen)[step.do]()
      break
    case 'add-crew':
    case 'add-table':
    case 'remove-crew':
      await changeFloor(restaurant, step.do)
      break
    case 'revoke':
      await revoke(restaurant, pick(tablets, step.which))
      break
    case 'stop':
    case 'kill': {
      const answers = Promise.all(
        step.taps.map(({ phone, id }) => pick(phones, phone).tap(id, 'general', 'none')),
      )
      answers.catch(() => {})
      for (let turns = 0; turns < step.afterTurns; turns++) await turn()
      for (const screen of screens) if (step.do === 'kill' || screen.isFrozen) screen.cut()
      await server[step.do]()
      for (const screen of screens) screen.cut()
      await server.start()
      await answers
      await passTime(restaurant, catchUpMs)
      break
    }
    default:
      throw new Error(`No such step: ${JSON.stringify(step satisfies never)}`)
  }
  await settled(() => server.app.whenIdle())
  noteListeners(restaurant)
}

/** To be called whenever a screen may have come or gone. */
export function noteListeners(restaurant: Restaurant): void {
  const someone = restaurant.tablets.some(({ isConnected, isFrozen }) => isConnected && !isFrozen)
  if (someone !== restaurant.listeners.someone)
    restaurant.listeners = { someone, since: restaurant.time.now() }
}

/** Timers fire in their order, and what they cause is done before the next one. */
export async function passTime({ server, time }: Restaurant, ms: number): Promise<void> {
  const until = time.now() + ms
  while (time.runNext(until)) await settled(() => server.app.whenIdle())
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
