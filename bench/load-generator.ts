import { randomUUID } from 'node:crypto'
import { type ServiceType, serviceTypes } from '#contract/requests.ts'
import { percentile } from './statistics.ts'
import { cpuTimeMs } from './machine.ts'
import type { Guest, Screen, SystemUnderTest, Transport } from './system-under-test.ts'

export const restaurants = 20
export const screensPerRestaurant = 10
const tablesPerRestaurant = 24

export type LoadResult = {
  /** Requests that were stored and answered per second. */
  perSecond: number
  /** From the guest sending a request to the answer that it is stored, in milliseconds. */
  answer: { p50: number; p99: number }
  /** From the guest sending a request to each crew screen of the restaurant, in milliseconds. */
  screen: { p50: number; p99: number }
  /** Processor time of the server for one request and its completion, in milliseconds. */
  cpu: number
}

/** A guest has at most one open request of each type, so that no two are merged. */
type GuestSeat = { restaurant: { completers: number }; guests: Record<Transport, Guest>; free: ServiceType[] }

type InFlightRequest = {
  sentAt: number
  seat: GuestSeat
  serviceType: ServiceType
  /** The screen that completes it. */
  completer: number
  /** How many screens have received it. */
  screens: number
  completed: boolean
}

/** The guests and crew screens of one system, all timed by one clock. */
export class LoadGenerator {
  readonly system: SystemUnderTest
  #seats: GuestSeat[] = []
  #screens: Screen[][] = []
  #inFlight = new Map<string, InFlightRequest>()
  #nextSeat = 0
  #waiting: (() => void)[] = []
  #error: unknown
  #window = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY }
  #answers: number[] = []
  #arrivals: number[] = []
  #sent = 0
  #cpuAtStart = 0

  private constructor(system: SystemUnderTest) {
    this.system = system
  }

  static async open(system: SystemUnderTest): Promise<LoadGenerator> {
    const load = new LoadGenerator(system)
    for (let restaurant = 0; restaurant < restaurants; restaurant++) {
      load.#screens.push(
        await Promise.all(
          Array.from({ length: screensPerRestaurant }, (_, screen) =>
            system.openScreen(restaurant, (id) => load.#received(restaurant, screen, id)),
          ),
        ),
      )
    }
    const counters = Array.from({ length: restaurants }, () => ({ completers: 0 }))
    for (let table = 1; table <= tablesPerRestaurant; table++) {
      load.#seats.push(
        ...(await Promise.all(
          counters.map(async (counter, restaurant): Promise<GuestSeat> => {
            const [live, http] = [
              await system.openGuest('live', restaurant, `${table}`),
              await system.openGuest('http', restaurant, `${table}`),
            ]
            return { restaurant: counter, guests: { live, http }, free: [...serviceTypes] }
          }),
        )),
      )
    }
    return load
  }

  /** A fixed number of guests, each of whom sends the next request as soon as the last one is stored. */
  async closedLoop(
    transport: Transport,
    guests: number,
    warmUpMs: number,
    measureMs: number,
  ): Promise<LoadResult> {
    if (transport === 'http') await this.system.openConnections(guests)
    const { to } = this.#startMeasuring(warmUpMs, measureMs)
    await Promise.all(
      Array.from({ length: guests }, async () => {
        while (performance.now() < to) await this.#sendRequest(transport, await this.#takeSeat())
      }),
    )
    return this.#finish(measureMs)
  }

  /** A fixed number of requests per second, whether or not the earlier ones are answered. */
  async openLoop(
    transport: Transport,
    perSecond: number,
    warmUpMs: number,
    measureMs: number,
  ): Promise<LoadResult> {
    const { start, to } = this.#startMeasuring(warmUpMs, measureMs)
    const sent: Promise<void>[] = []
    for (let count = 0; ; count++) {
      const due = start + (count * 1000) / perSecond
      if (due >= to) break
      const waitMs = due - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      sent.push(this.#takeSeat().then((seat) => this.#sendRequest(transport, seat)))
    }
    await Promise.all(sent)
    return this.#finish(measureMs)
  }

  close(): void {
    for (const { guests } of this.#seats) for (const guest of Object.values(guests)) guest.close()
    for (const screen of this.#screens.flat()) screen.close()
  }

  #startMeasuring(warmUpMs: number, measureMs: number) {
    const start = performance.now()
    this.#window = { from: start + warmUpMs, to: start + warmUpMs + measureMs }
    this.#answers = []
    this.#arrivals = []
    this.#sent = 0
    this.#cpuAtStart = cpuTimeMs(this.system.pid)
    return { start, to: this.#window.to }
  }

  /** Waits until every request was received by every screen and completed. */
  async #finish(measureMs: number): Promise<LoadResult> {
    while (this.#inFlight.size > 0) await this.#nextChange()
    const percentiles = (samples: number[]) => ({
      p50: percentile(samples, 0.5),
      p99: percentile(samples, 0.99),
    })
    return {
      perSecond: this.#answers.length / (measureMs / 1000),
      answer: percentiles(this.#answers),
      screen: percentiles(this.#arrivals),
      cpu: (cpuTimeMs(this.system.pid) - this.#cpuAtStart) / this.#sent,
    }
  }

  async #takeSeat(): Promise<GuestSeat> {
    for (;;) {
      for (let attempts = 0; attempts < this.#seats.length; attempts++) {
        const seat = this.#seats[this.#nextSeat++ % this.#seats.length]
        if (seat && seat.free.length > 0) return seat
      }
      await this.#nextChange()
    }
  }

  async #sendRequest(transport: Transport, seat: GuestSeat): Promise<void> {
    const serviceType = seat.free.shift()
    if (serviceType === undefined) return
    const id = randomUUID()
    const completer = seat.restaurant.completers++ % screensPerRestaurant
    this.#sent++
    const sentAt = performance.now()
    this.#inFlight.set(id, { sentAt, seat, serviceType, completer, screens: 0, completed: false })
    try {
      await seat.guests[transport].sendRequest({ id, serviceType })
    } catch (error) {
      this.#fail(error)
      throw error
    }
    const now = performance.now()
    if (this.#isMeasured(now)) this.#answers.push(now - sentAt)
  }

  #received(restaurant: number, screen: number, id: string): void {
    const request = this.#inFlight.get(id)
    if (!request) return
    const now = performance.now()
    if (this.#isMeasured(now)) this.#arrivals.push(now - request.sentAt)
    request.screens++
    const completer = this.#screens[restaurant]?.[screen]
    if (screen === request.completer && completer) void this.#complete(completer, id, request)
    else this.#finishRequest(id, request)
  }

  async #complete(screen: Screen, id: string, request: InFlightRequest): Promise<void> {
    try {
      await screen.complete(id)
      request.completed = true
      this.#finishRequest(id, request)
    } catch (error) {
      this.#fail(error)
    }
  }

  #finishRequest(id: string, { seat, serviceType, completed, screens }: InFlightRequest): void {
    if (!completed || screens < screensPerRestaurant) return
    this.#inFlight.delete(id)
    seat.free.push(serviceType)
    this.#wakeAll()
  }

  async #nextChange(): Promise<void> {
    if (this.#error !== undefined) throw this.#error
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
    if (this.#error !== undefined) throw this.#error
  }

  #isMeasured(now: number): boolean {
    return now >= this.#window.from && now < this.#window.to
  }

  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }

  #fail(error: unknown): void {
    this.#error ??= error
    this.#wakeAll()
  }
}
