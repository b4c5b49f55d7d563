import { minuteMs } from '#contract/durations.ts'
import type { ServiceRequest, ServiceType } from '#contract/requests/requests.ts'
import { requestsCalling } from '../../src/client/features/crew/alerts/alerts.ts'
import type { Chance } from '../chance.ts'
import type { World } from '../restaurant.ts'
import type { Tablet } from '../tablet.ts'
import { Link } from './link.ts'
import { Sounds } from './rush.ts'

/** From hearing a request until the hands are free. */
const reactionMs = [2_000, 9_000] as const
const serviceMs: Record<ServiceType, readonly [least: number, most: number]> = {
  general: [15_000, 40_000],
  drinks: [20_000, 45_000],
  food: [25_000, 60_000],
  check: [20_000, 50_000],
  assistance: [10_000, 30_000],
  other: [15_000, 40_000],
}
const walkMsPerTable = 2_000
const mostBesideMs = 3_000
/** "Mark Complete" under the wrong finger is undone within seconds. */
const slipShare = 0.02
const slipMs = 4_000

const tablesInRow = 4

type Task = Pick<ServiceRequest, 'id' | 'tableNumber' | 'serviceType'>
export type Doing =
  | { what: 'off' | 'free' }
  | { what: 'noticing' | 'walking' | 'serving'; task: Task; until: number }

/**
 * Hears what calls the own screen, says "On my way", walks there, serves, completes; the own tables first, then the
 * oldest request.
 */
export class CrewMember {
  readonly name: string
  readonly tablet: Tablet
  readonly link: Link
  isOnDuty = true
  doing: Doing = { what: 'free' }
  #world: World
  #chance: Chance
  /** The tables are in rows; the pass is beside the first one. */
  #place = 0
  #confirmed = new Set<string>()
  #sounds = new Sounds()
  #heardMs = 0
  #slip: { id: string; at: number } | null = null

  constructor(world: World, tablet: Tablet, name: string, chance: Chance) {
    this.#world = world
    this.tablet = tablet
    this.name = name
    this.#chance = chance
    this.link = new Link(world, tablet, chance)
  }

  get #canTap(): boolean {
    return this.tablet.isWhole && !this.tablet.isFrozen
  }

  #listed({ id }: Task): ServiceRequest | undefined {
    return this.tablet.list.open.find((request) => request.id === id)
  }

  /** True if anything has changed. */
  async step(losses: number, tickMs: number): Promise<boolean> {
    if (!this.isOnDuty) return this.#leave()
    const hasConnected = await this.link.step(losses, tickMs)
    if (hasConnected) this.#confirmed.clear()
    if (this.doing.what === 'off') this.doing = { what: 'free' }
    this.#hear(tickMs)
    const hasConfirmed = this.#confirmSeen()
    const hasUndone = this.#undoSlip()
    return this.#work() || hasConnected || hasConfirmed || hasUndone
  }

  /** How often the screen has sounded in ten minutes; null before it could for a minute. */
  get soundsInTenMinutes(): number | null {
    return this.#heardMs < minuteMs ? null : this.#sounds.inTenMinutes(this.#heardMs)
  }

  #hear(tickMs: number): void {
    if (!this.#canTap) return
    this.#heardMs += tickMs
    this.#sounds.hear(this.tablet.list.open, this.tablet.crewMemberId, this.#world.time.now())
  }

  /** What is in hand is given back first. */
  #leave(): boolean {
    const { doing, tablet } = this
    if (doing.what === 'off') {
      const wasConnected = tablet.isConnected
      tablet.cut()
      return wasConnected
    }
    const { crewMemberId } = tablet
    for (const { id, acceptedBy } of tablet.list.open)
      if (acceptedBy?.id === crewMemberId && this.#canTap) tablet.do('release-request', id)
    this.doing = { what: 'off' }
    return true
  }

  #confirmSeen(): boolean {
    if (!this.#canTap) return false
    const [first, ...rest] = this.tablet.list.open
      .map(({ id }) => id)
      .filter((id) => !this.#confirmed.has(id))
    if (first === undefined) return false
    for (const id of [first, ...rest]) this.#confirmed.add(id)
    this.tablet.do('requests-seen', first, ...rest)
    return true
  }

  #undoSlip(): boolean {
    const slip = this.#slip
    if (!slip || this.#world.time.now() < slip.at) return false
    this.#slip = null
    if (this.#canTap) this.tablet.do('reopen-request', slip.id)
    return true
  }

  #work(): boolean {
    const { doing, tablet } = this
    const now = this.#world.time.now()
    if (!('task' in doing)) {
      const next = this.#chooseNext()
      if (next) this.doing = next
      return false
    }
    const listed = this.#listed(doing.task)
    const isTaken = listed?.acceptedBy && listed.acceptedBy.id !== tablet.crewMemberId
    // Cancelled, or somebody was faster.
    if (this.#canTap && (!listed || isTaken)) {
      this.doing = { what: 'free' }
      return false
    }
    if (now < doing.until) return false
    const { task } = doing
    switch (doing.what) {
      case 'noticing':
        if (!this.#canTap) return false
        tablet.do('accept-request', task.id)
        this.doing = { what: 'walking', task, until: now + this.#walkMs(task) }
        return true
      case 'walking':
        this.#place = Number(task.tableNumber) - 1
        this.doing = {
          what: 'serving',
          task,
          until: now + this.#chance.between(...serviceMs[task.serviceType]),
        }
        return false
      case 'serving':
        if (!this.#canTap) return false
        tablet.do('complete-request', task.id)
        if (this.#chance.isLucky(slipShare)) this.#slip = { id: task.id, at: now + slipMs }
        this.doing = { what: 'free' }
        return true
      default:
        throw new Error(`Nobody does this: ${JSON.stringify(doing satisfies never)}`)
    }
  }

  #chooseNext(): Doing | null {
    if (!this.#canTap) return null
    const { crewMemberId: me, list } = this.tablet
    const now = this.#world.time.now()
    const kept = list.open.find(({ acceptedBy }) => acceptedBy?.id === me)
    if (kept) return { what: 'walking', task: kept, until: now + this.#walkMs(kept) }
    const [next] = requestsCalling(list.open, me).toSorted(
      (a, b) => Number(b.crew.includes(me)) - Number(a.crew.includes(me)) || a.timestamp - b.timestamp,
    )
    return next ? { what: 'noticing', task: next, until: now + this.#chance.between(...reactionMs) } : null
  }

  #walkMs({ tableNumber }: Task): number {
    const [here, there] = [this.#place, Number(tableNumber) - 1]
    const across = Math.abs((here % tablesInRow) - (there % tablesInRow))
    const along = Math.abs(Math.floor(here / tablesInRow) - Math.floor(there / tablesInRow))
    return (across + along) * walkMsPerTable + this.#chance.between(1_000, mostBesideMs)
  }
}
