import { createHash } from 'node:crypto'
import { createChance } from './chance.ts'
import { acts } from './checkers/acts.ts'
import { attended } from './checkers/attended.ts'
import { type Checker, type Evidence, readEvidence } from './checkers/evidence.ts'
import { figures } from './checkers/figures.ts'
import { guestTruth } from './checkers/guest-truth.ts'
import { history } from './checkers/history.ts'
import { ladder } from './checkers/ladder.ts'
import { listening } from './checkers/listening.ts'
import { numbers } from './checkers/numbers.ts'
import { pushes } from './checkers/pushes.ts'
import { rights } from './checkers/rights.ts'
import { screens } from './checkers/screens.ts'
import { taps } from './checkers/taps.ts'
import { settled } from './event-loop.ts'
import { passTime, perform } from './perform.ts'
import {
  connectScreen,
  createWorld,
  noteListeners,
  openWorld,
  phonesOf,
  screensOf,
  tabletsOf,
  type World,
} from './restaurant.ts'
import type { Options, Step } from './steps.ts'
import type { VirtualTime } from './virtual-time.ts'

const checkers = {
  taps,
  acts,
  history,
  screens,
  numbers,
  rights,
  ladder,
  attended,
  listening,
  pushes,
  guestTruth,
}

/** `story`: what happened to the request that the problem is about, if it is about one. */
export type Failure = { step: number; promise: string; problem: string; story: string[] }
export type Result = { failure: Failure | null; digest: string; events: number; taps: number; pushes: number }

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
  const world = createWorld(time, place)
  try {
    const chance = createChance(options.seed ^ 0xca5e)
    let failure = await tryStep(-1, world, () => openWorld(world, options, chance), checkers)
    for (const [index, step] of steps.entries())
      failure ??= await tryStep(index, world, () => perform(world, step), checkers)
    const all = options.figures ? { ...checkers, figures } : checkers
    failure ??= await tryStep(steps.length, world, () => comeBack(world), all)
    const evidence = world.server.isRunning ? await readAllEvidence(world) : []
    const events = evidence.flatMap((each) => each.events)
    const taps = phonesOf(world).reduce((sum, phone) => sum + phone.tapped.length, 0)
    const pushes = world.push.devices.reduce((sum, { received }) => sum + received.length, 0)
    for (const screen of screensOf(world)) screen.cut()
    return { failure, digest: digestOf(events), events: events.length, taps, pushes }
  } finally {
    await world.server.remove()
  }
}

/** The network recovers: every tap arrives, and every screen is whole. */
async function comeBack(world: World): Promise<void> {
  for (const tablet of tabletsOf(world)) tablet.awayUntil = 0
  for (const device of world.push.devices) device.next = 'sent'
  for (const screen of screensOf(world)) {
    screen.cut()
    await connectScreen(world, screen)
  }
  for (const restaurant of world.restaurants) noteListeners(restaurant)
  for (const phone of phonesOf(world)) await phone.retry()
  await passTime(world, 15_000)
  for (const phone of phonesOf(world))
    if (phone.waiting.length > 0) throw new Error('A tap is not answered although the network is good')
  for (const screen of screensOf(world))
    if (!screen.isWhole) throw new Error(`A ${screen.kind} is not whole although the network is good`)
  await settled()
}

async function tryStep(
  step: number,
  world: World,
  work: () => Promise<void>,
  promises: Record<string, Checker>,
): Promise<Failure | null> {
  try {
    await work()
    for (const evidence of await readAllEvidence(world))
      for (const [promise, check] of Object.entries(promises)) {
        const [problem] = await check(evidence)
        if (problem !== undefined) return { step, promise, problem, story: tellStory(evidence, problem) }
      }
  } catch (error) {
    return { step, promise: 'nothing fails', problem: describe(error), story: [] }
  }
  const problem = [...world.server.errors, ...phonesOf(world).flatMap(({ failures }) => failures)].at(0)
  return problem === undefined
    ? null
    : { step, promise: 'nothing fails', problem: describe(problem), story: [] }
}

function tellStory({ restaurant: { world }, events, now }: Evidence, problem: string): string[] {
  const about = events.filter(({ requestId }) => problem.includes(requestId))
  const tags = new Set(about.map(({ requestId }) => `request-${requestId}`))
  const told = world.push.devices.flatMap(({ endpoint, received }) =>
    received
      .filter(({ payload }) => tags.has(payload.notification.tag))
      .map(({ at, payload: { notification, tableside } }) => ({
        at,
        text: `${endpoint} ${tableside.withdraw ? 'withdraws' : 'shows'} "${notification.body}"`,
      })),
  )
  const happened = about.map(({ at, kind, actorKind, actorName }) => ({
    at,
    text: `${kind} by ${actorName ?? actorKind}`,
  }))
  return [...happened, ...told, { at: now, text: 'the problem is noticed' }]
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, text }) => `${((at - start) / 1_000).toFixed(3)} s ${text}`)
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? '') : String(error))

const readAllEvidence = (world: World): Promise<Evidence[]> =>
  Promise.all(world.restaurants.map(readEvidence))

/** A digest of what happened. A request has the id of its first tap, which comes from the seed. */
function digestOf(events: Evidence['events']): string {
  const lines = events.map(
    ({ at, kind, requestId, actorKind, actorName }) => `${at} ${requestId} ${kind} ${actorKind} ${actorName}`,
  )
  return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex').slice(0, 16)
}
