import { createHash } from 'node:crypto'
import { createChance } from './chance.ts'
import { type Breach, type Checker, type Evidence, readEvidence } from './checkers/evidence.ts'
import { promises } from './checkers/promises.ts'
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
  { always, seldom } = promises,
): Promise<Result> {
  time.reset(start)
  const world = createWorld(time, place, options.nodes)
  const spread = createChance(options.seed ^ 0x7a9e)
  Math.random = () => spread.number()
  try {
    const chance = createChance(options.seed ^ 0xca5e)
    let failure = await tryStep(-1, world, () => openWorld(world, options, chance), always)
    for (const [index, step] of steps.entries())
      failure ??= await tryStep(index, world, () => perform(world, step), always)
    const all = options.figures ? { ...always, ...seldom } : always
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
export async function comeBack(world: World): Promise<void> {
  world.server.broker.regain()
  // A node that hears the others again sends guests away whose page may have missed something.
  if (world.server.nodeCount > 1) await passTime(world, 3_000)
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
        const [breach] = await check(evidence)
        if (breach) return { step, promise, problem: breach.problem, story: tellStory(evidence, breach) }
      }
  } catch (error) {
    return { step, promise: 'nothing fails', problem: describe(error), story: [] }
  }
  const problem = [...world.server.errors, ...phonesOf(world).flatMap(({ failures }) => failures)].at(0)
  return problem === undefined
    ? null
    : { step, promise: 'nothing fails', problem: describe(problem), story: [] }
}

/** What happened to the requests that the breach names. */
export function tellStory({ restaurant: { world }, events, now }: Evidence, { problem }: Breach): string[] {
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

export const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? '') : String(error)

export const readAllEvidence = (world: World): Promise<Evidence[]> =>
  Promise.all(world.restaurants.map(readEvidence))

/** A digest of what happened. A request has the id of its first tap, which comes from the seed. */
export function digestOf(events: Evidence['events']): string {
  const lines = events.map(
    ({ at, kind, requestId, actorKind, actorName }) => `${at} ${requestId} ${kind} ${actorKind} ${actorName}`,
  )
  return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex').slice(0, 16)
}
