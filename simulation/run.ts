import { createHash } from 'node:crypto'
import { createChance } from './chance.ts'
import { acts } from './checkers/acts.ts'
import { attended } from './checkers/attended.ts'
import { type Checker, type Evidence, readEvidence } from './checkers/evidence.ts'
import { figures } from './checkers/figures.ts'
import { guestTruth } from './checkers/guest-truth.ts'
import { history } from './checkers/history.ts'
import { ladder } from './checkers/ladder.ts'
import { rights } from './checkers/rights.ts'
import { listening } from './checkers/listening.ts'
import { numbers } from './checkers/numbers.ts'
import { screens } from './checkers/screens.ts'
import { taps } from './checkers/taps.ts'
import { settled } from './event-loop.ts'
import { noteListeners, passTime, perform } from './perform.ts'
import { connectScreen, openRestaurant, type Restaurant } from './restaurant.ts'
import { Server } from './server.ts'
import type { Options, Step } from './steps.ts'
import type { VirtualTime } from './virtual-time.ts'

const checkers = { taps, acts, history, screens, numbers, rights, ladder, attended, listening, guestTruth }

export type Failure = { step: number; promise: string; problem: string }
export type Result = { failure: Failure | null; digest: string; events: number; taps: number }

/** Noon of a day without a change of clocks, so that no run reaches the next day. */
export const start = Date.parse('2025-06-11T12:00:00Z')

/** One run: after each step every promise is checked, and the first one that does not hold ends it. */
export async function run(
  time: VirtualTime,
  place: { folder: string; template: string },
  options: Options,
  steps: readonly Step[],
): Promise<Result> {
  time.reset(start)
  const server = new Server(time, place.folder, place.template)
  try {
    await server.start()
    const restaurant = await openRestaurant(server, time, options, createChance(options.seed ^ 0xca5e))
    for (const screen of restaurant.screens) await connectScreen(restaurant, screen)
    noteListeners(restaurant)
    let failure: Failure | null = null
    for (const [index, step] of steps.entries()) {
      failure = await tryStep(index, server, () => perform(restaurant, step), restaurant, options)
      if (failure) break
    }
    failure ??= await tryStep(steps.length, server, () => comeBack(restaurant), restaurant, options, true)
    const { events } = await readEvidence(restaurant, options)
    const tapped = restaurant.phones.reduce((sum, phone) => sum + phone.tapped.length, 0)
    for (const screen of restaurant.screens) screen.cut()
    return { failure, digest: digestOf(events), events: events.length, taps: tapped }
  } finally {
    await server.remove()
  }
}

/** The network recovers: every tap arrives, and every screen is whole. */
async function comeBack(restaurant: Restaurant): Promise<void> {
  for (const screen of restaurant.screens) {
    screen.cut()
    await connectScreen(restaurant, screen)
  }
  noteListeners(restaurant)
  for (const phone of restaurant.phones) await phone.retry()
  await passTime(restaurant, 15_000)
  for (const phone of restaurant.phones)
    if (phone.waiting.length > 0) throw new Error('A tap is not answered although the network is good')
  for (const screen of restaurant.screens)
    if (!screen.isWhole) throw new Error(`A ${screen.kind} is not whole although the network is good`)
  await settled()
}

async function tryStep(
  step: number,
  server: Server,
  work: () => Promise<void>,
  restaurant: Restaurant,
  options: Options,
  isLast = false,
): Promise<Failure | null> {
  try {
    await work()
    const evidence = await readEvidence(restaurant, options)
    const all: Record<string, Checker> = isLast && options.figures ? { ...checkers, figures } : checkers
    for (const [promise, check] of Object.entries(all)) {
      const [problem] = await check(evidence)
      if (problem !== undefined) return { step, promise, problem }
    }
  } catch (error) {
    return {
      step,
      promise: 'nothing fails',
      problem: error instanceof Error ? (error.stack ?? '') : String(error),
    }
  }
  const [logged] = server.errors
  return logged === undefined ? null : { step, promise: 'nothing fails', problem: logged }
}

/** Of what happened. A request has the id of its first tap, which comes from the seed. */
function digestOf(events: Evidence['events']): string {
  const lines = events.map(
    ({ at, kind, requestId, actorKind, actorName }) => `${at} ${requestId} ${kind} ${actorKind} ${actorName}`,
  )
  return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex').slice(0, 16)
}
