import { createChance } from '../chance.ts'
import type { Evidence } from '../checkers/evidence.ts'
import { promises, type Promises } from '../checkers/promises.ts'
import { settled } from '../event-loop.ts'
import { passTime, perform } from '../perform.ts'
import {
  assignTables,
  connectScreens,
  createWorld,
  crewNames,
  noteListeners,
  openRestaurant,
  phonesOf,
  quiet,
  renewAlerts,
  type Restaurant,
  type World,
} from '../restaurant.ts'
import { comeBack, describe, readAllEvidence, tellStory } from '../run.ts'
import type { VirtualTime } from '../virtual-time.ts'
import { CrewMember } from './crew-member.ts'
import { Guest } from './guest.ts'
import type { Link } from './link.ts'
import { Log } from './log.ts'
import { type Settings, tableCount, usualSettings } from './settings.ts'
import { Tally } from './tally.ts'

/** Every run stays within this one evening. */
const opensAt = Date.parse('2025-06-11T18:00:00Z')
export const closesAt = Date.parse('2025-06-11T23:00:00Z')

export const tickMs = 500
const checkMs = 5_000
/** The figures are computed in a thread, which takes longer than all else. */
const seldomMs = 30 * 60_000

/** A restaurant whose crew acts like one, and in which anything may be broken at any time. */
export class Evening {
  readonly seed: number
  readonly world: World
  readonly tally = new Tally()
  readonly log: Log
  guests: Guest[] = []
  crew: CrewMember[] = []
  settings: Settings = usualSettings
  /** How much time passes between two checks of every promise. */
  checkMs = checkMs
  /** What was stored at the last check. */
  evidence: Evidence[] = []
  #promises: Promises
  #chance
  #checkAt = opensAt + checkMs
  #seldomAt = opensAt + seldomMs
  #staff = 0

  private constructor(world: World, seed: number, checked: Promises) {
    this.world = world
    this.seed = seed
    this.#promises = checked
    this.#chance = createChance(seed ^ 0xe7e)
    this.log = new Log(() => world.time.now())
  }

  static async open(
    time: VirtualTime,
    place: { folder: string; template: string },
    seed: number,
    settings = usualSettings,
    checked = promises,
  ): Promise<Evening> {
    time.reset(opensAt)
    const evening = new Evening(createWorld(time, place), seed, checked)
    await evening.#open(settings)
    return evening
  }

  async #open(settings: Settings): Promise<void> {
    const { world } = this
    await world.server.start()
    await openRestaurant(world, 'Blue Door', {
      tables: tableCount,
      seats: Array.from({ length: tableCount }, (_, index) => index),
      tablets: crewNames.length,
      acceptMs: 180_000,
      assigned: false,
      pushes: 'manager',
      ...quiet,
    })
    await connectScreens(world)
    const { phones, tablets } = this.restaurant
    this.guests = phones.map((phone) => new Guest(world, phone, this.#chance))
    this.crew = tablets.map(
      (tablet, index) => new CrewMember(world, tablet, crewNames[index] ?? 'Crew', this.#chance),
    )
    await this.set(settings)
    await this.check()
  }

  get restaurant(): Restaurant {
    const [restaurant] = this.world.restaurants
    if (!restaurant) throw new Error('The restaurant is not open yet')
    return restaurant
  }

  get now(): number {
    return this.world.time.now()
  }

  get isOver(): boolean {
    return this.now >= closesAt
  }

  /** The screens by the names that people call them. */
  get links(): Map<string, Link> {
    return new Map([
      ...this.guests.map(({ phone, link }) => [`Table ${phone.tableNumber}’s phone`, link] as const),
      ...this.crew.map(({ name, link }) => [`${name.split(' ')[0]}’s screen`, link] as const),
    ])
  }

  async set(settings: Settings): Promise<void> {
    this.settings = settings
    if (settings.staff === this.#staff) return
    this.#staff = settings.staff
    for (const [index, member] of this.crew.entries()) member.isOnDuty = index < settings.staff
    const present = this.crew.filter(({ isOnDuty }) => isOnDuty).map(({ tablet }) => tablet)
    if (present.length > 0)
      await assignTables(this.world, this.restaurant.owner, this.restaurant.tableIds, present)
    await this.#settle()
  }

  /** Half a second of the evening: everybody acts, and what they cause is done. */
  async tick(): Promise<void> {
    await this.#trying(async () => {
      await passTime(this.world, tickMs)
      let hasActed = false
      for (const guest of this.guests) hasActed = (await guest.step(this.settings, tickMs)) || hasActed
      for (const member of this.crew) hasActed = (await member.step(this.settings.losses, tickMs)) || hasActed
      if (hasActed) await this.#settle()
    })
    if (this.now >= this.#checkAt) await this.check()
  }

  async #settle(): Promise<void> {
    await settled(() => this.world.server.whenIdle())
    noteListeners(this.restaurant)
  }

  async #trying(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#report('nothing fails', { about: describe(error), problem: describe(error) }, [])
    }
  }

  #report(promise: string, breach: { about: string; problem: string }, story: readonly string[]): void {
    const counter = this.tally.add(promise, breach)
    if (counter) this.log.add('breach', `${promise}: ${breach.problem}`, [...story])
  }

  /** Counts whatever does not hold. */
  async check(): Promise<void> {
    this.#checkAt = this.now + this.checkMs
    const isSeldomTime = this.now >= this.#seldomAt
    if (isSeldomTime) this.#seldomAt = this.now + seldomMs
    const { always, seldom } = this.#promises
    await this.#trying(async () => {
      this.evidence = await readAllEvidence(this.world)
      for (const evidence of this.evidence) {
        this.log.tell(evidence)
        for (const [promise, find] of Object.entries(isSeldomTime ? { ...always, ...seldom } : always))
          for (const breach of await find(evidence))
            this.#report(promise, breach, tellStory(evidence, breach))
      }
    })
    const failures = [
      ...this.world.server.errors,
      ...phonesOf(this.world).flatMap(({ failures }) => failures),
    ]
    for (const failure of failures)
      this.#report('nothing fails', { about: describe(failure), problem: describe(failure) }, [])
  }

  take(name: string): void {
    this.links.get(name)?.take()
    this.#broken(`${name} has no network`)
  }

  freeze(name: string): void {
    this.links.get(name)?.freeze()
    this.#broken(`${name} is half-open: nothing arrives, and nobody knows`)
  }

  giveBack(name: string): void {
    this.links.get(name)?.giveBack()
    this.#broken(`${name} has its network back`)
  }

  #broken(text: string): void {
    noteListeners(this.restaurant)
    this.log.add('break', text)
  }

  /** As a deploy stops it, or as a power failure does; one table's guest is just asking for something. */
  async restart(how: 'stop' | 'kill'): Promise<void> {
    this.log.add('break', how === 'kill' ? 'The server is killed' : 'The server is stopped for an update')
    const reachable = this.guests.flatMap(({ link }, index) => (link.isGone ? [] : [index]))
    const phone = reachable[this.#chance.index(Math.max(1, reachable.length))]
    const taps =
      phone === undefined ? [] : [{ phone, id: this.#chance.uuid(), serviceType: 'general' as const }]
    await this.#trying(() =>
      perform(this.world, { do: how, which: 0, afterMs: 0, afterTurns: this.#chance.index(12), taps }),
    )
    this.log.add('break', 'The next server has started on the same file')
    await this.check()
  }

  losePushes(): void {
    this.world.push.isLost = true
    this.log.add('break', 'The push service refuses everything')
  }

  async regainPushes(): Promise<void> {
    this.world.push.regain()
    await renewAlerts(this.world)
    await this.#settle()
    this.log.add('break', 'The push service is back, and the manager has opened the page again')
  }

  /** The network recovers: every tap arrives, every screen is whole, and everything holds. */
  async comeBack(): Promise<void> {
    this.settings = { ...this.settings, losses: 0 }
    for (const link of this.links.values()) link.giveBack()
    await this.#trying(() => comeBack(this.world))
    this.#seldomAt = this.now
    await this.check()
  }

  async close(): Promise<void> {
    for (const { screen } of this.links.values()) screen.cut()
    await this.world.server.remove()
  }
}
