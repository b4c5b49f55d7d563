import { setTimeout as sleep } from 'node:timers/promises'
import { type ServiceType, serviceTypes } from '#contract/requests/requests.ts'
import { newId } from '../../src/client/lib/new-id.ts'
import {
  type Guest,
  Refused,
  type Screen,
  type SystemUnderTest,
  type Transport,
  type WriteCounts,
} from '../systems/system-under-test.ts'
import { cpuTimeMs, isRunning } from './machine.ts'
import { percentile } from './statistics.ts'

type Crowd = { restaurants: number; screensPerRestaurant: number; transports: readonly Transport[] }

const tablesPerRestaurant = 24
export const drainMs = 15_000
/** How often the servers are looked at: their clients may wait for one that has ended. */
const lookMs = 250
/** Until a screen tries again to complete what it was refused. */
const completeAgainMs = 1_000

type CpuTimes = { server: number; database: number; load: number }

export type LoadResult = {
  /** Requests per second that were stored, shown on each screen and completed. */
  perSecond: number
  /** From the guest sending a request to the answer that it is stored, in milliseconds. */
  answer: { p50: number; p99: number }
  /** From the guest sending a request to each crew screen of the restaurant, in milliseconds. */
  screen: { p50: number; p99: number }
  /** Processor time for one request and its completion, in milliseconds; NaN where there is no such process. */
  cpu: CpuTimes
  /** Taps and completions that the server refused, or that did not end in time. */
  refused: number
  /** Writes that shared a commit, on average; NaN where the system does not count them. */
  perCommit: number
}

/** What a guest may ask for: the same service only once at a time, so that no two requests are merged. */
type Wish = {
  restaurant: { number: number; completers: number }
  guests: Partial<Record<Transport, Guest>>
  serviceType: ServiceType
}

type InFlightRequest = {
  sentAt: number
  wish: Wish
  /** The screen that completes it. */
  completer: number
  /** The screens that have not received it. */
  missing: Set<number>
  completed: boolean
}

/** The guests and crew screens of one system, all timed by one clock. */
export class LoadGenerator {
  readonly system: SystemUnderTest
  #allScreens: number[]
  #guests: Guest[] = []
  /** The wishes that are not in flight, the one that rested longest first. */
  #wishes: Wish[] = []
  #screens: Screen[][] = []
  #inFlight = new Map<string, InFlightRequest>()
  #waiting: { resolve: (wish: Wish) => void; reject: (error: unknown) => void }[] = []
  #drained: PromiseWithResolvers<void> | undefined
  #deadline: NodeJS.Timeout | undefined
  #isOver = false
  #accepts = false
  #refused = 0
  #error: unknown
  #failed = Promise.withResolvers<never>()
  #look: NodeJS.Timeout | undefined
  #window = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY }
  #done = 0
  #answers: number[] = []
  #arrivals: number[] = []
  #sent = 0
  #cpuAtStart: CpuTimes = { server: 0, database: 0, load: 0 }
  #writesAtStart: WriteCounts = { writes: 0, commits: 0 }

  private constructor(system: SystemUnderTest, screensPerRestaurant: number) {
    this.system = system
    this.#failed.promise.catch(() => {})
    this.#allScreens = Array.from({ length: screensPerRestaurant }, (_, screen) => screen)
  }

  static async open(
    system: SystemUnderTest,
    { restaurants, screensPerRestaurant, transports }: Crowd,
  ): Promise<LoadGenerator> {
    const load = new LoadGenerator(system, screensPerRestaurant)
    for (let restaurant = 0; restaurant < restaurants; restaurant++) {
      load.#screens.push(
        await Promise.all(
          load.#allScreens.map((screen) =>
            system.openScreen(restaurant, (id) => load.#received(restaurant, screen, id)),
          ),
        ),
      )
    }
    const counters = Array.from({ length: restaurants }, (_, number) => ({ number, completers: 0 }))
    const seats: Omit<Wish, 'serviceType'>[] = []
    for (let table = 1; table <= tablesPerRestaurant; table++) {
      seats.push(
        ...(await Promise.all(
          counters.map(async (restaurant) => {
            const guests: Wish['guests'] = {}
            for (const transport of transports)
              guests[transport] = await system.openGuest(transport, restaurant.number, `${table}`)
            load.#guests.push(...Object.values(guests))
            return { restaurant, guests }
          }),
        )),
      )
    }
    load.#wishes = serviceTypes.flatMap((serviceType) => seats.map((seat) => ({ ...seat, serviceType })))
    return load
  }

  /**
   * A fixed number of guests, each of whom sends the next request as soon as the last one is stored. `accepts`: whether the
   * crew says "On my way" before it completes a request.
   */
  async closedLoop(
    transport: Transport,
    guests: number,
    warmUpMs: number,
    measureMs: number,
    { accepts = false } = {},
  ): Promise<LoadResult> {
    if (transport !== 'live') await this.system.openConnections(guests)
    this.#accepts = accepts
    const { to } = await this.#startMeasuring(warmUpMs, measureMs)
    await this.#all(
      Array.from({ length: guests }, async () => {
        while (performance.now() < to) await this.#sendNext(transport)
      }),
    )
    return this.#finish(measureMs)
  }

  /**
   * A fixed number of requests per second, whether or not the earlier ones are answered. Each is timed from the moment
   * at which it was due, so that no delay goes unnoticed.
   */
  async openLoop(
    transport: Transport,
    perSecond: number,
    warmUpMs: number,
    measureMs: number,
  ): Promise<LoadResult> {
    this.#accepts = false
    const { start, to } = await this.#startMeasuring(warmUpMs, measureMs)
    const sent: Promise<void>[] = []
    for (let count = 0; ; count++) {
      const due = start + (count * 1000) / perSecond
      if (due >= to) break
      const waitMs = due - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      // A timer may be a little early.
      sent.push(this.#sendNext(transport, Math.min(due, performance.now())))
    }
    await this.#all(sent)
    return this.#finish(measureMs)
  }

  close(): void {
    clearInterval(this.#look)
    clearTimeout(this.#deadline)
    for (const guest of this.#guests) guest.close()
    for (const screen of this.#screens.flat()) screen.close()
  }

  async #startMeasuring(warmUpMs: number, measureMs: number) {
    this.#writesAtStart = await this.#countWrites()
    const start = performance.now()
    this.#window = { from: start + warmUpMs, to: start + warmUpMs + measureMs }
    this.#done = 0
    this.#answers = []
    this.#arrivals = []
    this.#sent = 0
    this.#refused = 0
    this.#isOver = false
    this.#deadline = setTimeout(() => this.#giveUp(), warmUpMs + measureMs + drainMs)
    this.#look = setInterval(() => this.#requireServers(), lookMs)
    this.#cpuAtStart = this.#cpuTimes()
    return { start, to: this.#window.to }
  }

  async #all(sent: Promise<void>[]): Promise<void> {
    await Promise.race([Promise.all(sent), this.#failed.promise])
  }

  #requireServers(): void {
    for (const { pid } of this.system.servers)
      if (!isRunning(pid)) this.#fail(new Error('A server has ended'))
  }

  /** Waits until every request was received by every screen and completed. */
  async #finish(measureMs: number): Promise<LoadResult> {
    if (this.#error !== undefined) throw this.#error
    if (this.#inFlight.size > 0) {
      this.#drained = Promise.withResolvers()
      await this.#drained.promise
    }
    clearInterval(this.#look)
    clearTimeout(this.#deadline)
    const percentiles = (samples: number[]) => ({
      p50: percentile(samples, 0.5),
      p99: percentile(samples, 0.99),
    })
    const cpu = this.#cpuTimes()
    const { writes, commits } = await this.#countWrites()
    const perRequest = (part: keyof CpuTimes) => (cpu[part] - this.#cpuAtStart[part]) / this.#sent
    return {
      perSecond: this.#done / (measureMs / 1000),
      answer: percentiles(this.#answers),
      screen: percentiles(this.#arrivals),
      cpu: { server: perRequest('server'), database: perRequest('database'), load: perRequest('load') },
      refused: this.#refused,
      perCommit: (writes - this.#writesAtStart.writes) / (commits - this.#writesAtStart.commits),
    }
  }

  async #countWrites(): Promise<WriteCounts> {
    return (await this.system.countWrites?.()) ?? { writes: Number.NaN, commits: Number.NaN }
  }

  #cpuTimes(): CpuTimes {
    const { servers, databasePid } = this.system
    const { user, system } = process.cpuUsage()
    return {
      server: servers.reduce((sum, { pid }) => sum + cpuTimeMs(pid), 0),
      database: databasePid === null ? Number.NaN : cpuTimeMs(databasePid),
      load: (user + system) / 1000,
    }
  }

  async #takeWish(): Promise<Wish> {
    if (this.#error !== undefined) throw this.#error
    if (this.#isOver) throw new Refused('Nobody was free to ask in time')
    const wish = this.#wishes.shift()
    return wish ?? new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  async #sendNext(transport: Transport, due?: number): Promise<void> {
    try {
      const wish = await this.#takeWish()
      await this.#sendRequest(transport, wish, due ?? performance.now())
    } catch (error) {
      if (error instanceof Refused) this.#refused++
      else {
        this.#fail(error)
        throw error
      }
    }
  }

  async #sendRequest(transport: Transport, wish: Wish, sentAt: number): Promise<void> {
    // As the guest page makes them.
    const id = newId(Date.now())
    const completer = wish.restaurant.completers++ % this.#allScreens.length
    this.#sent++
    this.#inFlight.set(id, { sentAt, wish, completer, missing: new Set(this.#allScreens), completed: false })
    try {
      await wish.guests[transport]?.sendRequest({ id, serviceType: wish.serviceType })
    } catch (error) {
      this.#release(id, wish)
      throw error
    }
    const now = performance.now()
    if (this.#isMeasured(sentAt)) this.#answers.push(now - sentAt)
  }

  #received(restaurant: number, screen: number, id: string): void {
    const request = this.#inFlight.get(id)
    if (!request?.missing.delete(screen)) return
    if (this.#isMeasured(request.sentAt)) this.#arrivals.push(performance.now() - request.sentAt)
    const completer = this.#screens[restaurant]?.[screen]
    if (screen === request.completer && completer) void this.#complete(completer, id, request)
    else this.#finishRequest(id, request)
  }

  async #complete(screen: Screen, id: string, request: InFlightRequest): Promise<void> {
    while (this.#inFlight.get(id) === request)
      try {
        if (this.#accepts) await screen.accept(id)
        await screen.complete(id)
        request.completed = true
        return this.#finishRequest(id, request)
      } catch (error) {
        if (!(error instanceof Refused)) return this.#fail(error)
        this.#refused++
        await sleep(completeAgainMs)
      }
  }

  #finishRequest(id: string, { wish, completed, missing }: InFlightRequest): void {
    if (!completed || missing.size > 0) return
    if (this.#inFlight.has(id) && this.#isMeasured(performance.now())) this.#done++
    this.#release(id, wish)
  }

  #release(id: string, wish: Wish): void {
    if (!this.#inFlight.delete(id)) return
    const next = this.#waiting.shift()
    if (next) next.resolve(wish)
    else this.#wishes.push(wish)
    if (this.#inFlight.size === 0) this.#drained?.resolve()
  }

  /** A screen that an overloaded server sends the whole list may never hear of a request that is completed by then. */
  #giveUp(): void {
    this.#isOver = true
    const late = new Refused(`Not done within ${drainMs} ms`)
    for (const { reject } of this.#waiting.splice(0)) reject(late)
    for (const [id, request] of this.#inFlight) {
      if (!request.completed) this.#refused++
      else for (const screen of request.missing) this.#received(request.wish.restaurant.number, screen, id)
      this.#release(id, request.wish)
    }
  }

  #isMeasured(time: number): boolean {
    return time >= this.#window.from && time < this.#window.to
  }

  #fail(error: unknown): void {
    this.#error ??= error
    this.#failed.reject(error)
    this.#drained?.reject(error)
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}
