import { randomUUID } from 'node:crypto'
import { type ServiceType, serviceTypes } from '#contract/requests.ts'
import { percentile } from './statistics.ts'
import { cpuOf } from './machine.ts'
import type { Guest, Screen, SystemUnderTest, Transport } from './system-under-test.ts'

export const restaurants = 20
export const screensPerRestaurant = 10
const tablesPerRestaurant = 24

export type LoadResult = {
  /** Durable and answered, in the time measured. */
  perSecond: number
  /** From the guest's sending to the answer that it is stored, in milliseconds. */
  answer: { p50: number; p99: number }
  /** From the guest's sending to each crew screen of the restaurant, in milliseconds. */
  screen: { p50: number; p99: number }
  /** Of the server's process, for one request and its completion, in milliseconds. */
  cpu: number
}

/** A guest has at most one request of each type open, so that none merges with another. */
type GuestSeat = { at: { completers: number }; guests: Record<Transport, Guest>; free: ServiceType[] }

type InFlightRequest = {
  sentAt: number
  seat: GuestSeat
  serviceType: ServiceType
  /** The screen whose crew member does it. */
  completer: number
  /** On how many screens it was shown. */
  screens: number
  completed: boolean
}

/** The guests and crew screens of one system, and what they see of each other. Their clock is one. */
export class LoadGenerator {
  readonly system: SystemUnderTest
  #seats: GuestSeat[] = []
  #screens: Screen[][] = []
  #inFlight = new Map<string, InFlightRequest>()
  #next = 0
  #wake: (() => void)[] = []
  #failed: unknown
  #window = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY }
  #answers: number[] = []
  #arrivals: number[] = []
  #asked = 0
  #cpu = 0

  private constructor(system: SystemUnderTest) {
    this.system = system
  }

  static async open(system: SystemUnderTest): Promise<LoadGenerator> {
    const house = new LoadGenerator(system)
    for (let restaurant = 0; restaurant < restaurants; restaurant++) {
      house.#screens.push(
        await Promise.all(
          Array.from({ length: screensPerRestaurant }, (_, screen) =>
            system.openScreen(restaurant, (id) => house.#received(restaurant, screen, id)),
          ),
        ),
      )
    }
    const houses = Array.from({ length: restaurants }, () => ({ completers: 0 }))
    for (let table = 1; table <= tablesPerRestaurant; table++) {
      house.#seats.push(
        ...(await Promise.all(
          houses.map(async (at, restaurant): Promise<GuestSeat> => {
            const [live, http] = [
              await system.openGuest('live', restaurant, `${table}`),
              await system.openGuest('http', restaurant, `${table}`),
            ]
            return { at, guests: { live, http }, free: [...serviceTypes] }
          }),
        )),
      )
    }
    return house
  }

  /** So many guests at once, each of whom asks again as soon as the last request is stored. */
  async closedLoop(
    transport: Transport,
    guests: number,
    warmUpMs: number,
    measureMs: number,
  ): Promise<LoadResult> {
    if (transport === 'http') await this.system.openConnections(guests)
    const { to } = this.#measure(warmUpMs, measureMs)
    await Promise.all(
      Array.from({ length: guests }, async () => {
        while (performance.now() < to) await this.#ask(transport, await this.#seat())
      }),
    )
    return this.#finish(measureMs)
  }

  /** So many requests a second, whether or not the earlier ones are answered. */
  async openLoop(
    transport: Transport,
    perSecond: number,
    warmUpMs: number,
    measureMs: number,
  ): Promise<LoadResult> {
    const { start, to } = this.#measure(warmUpMs, measureMs)
    const asked: Promise<void>[] = []
    for (let count = 0; ; count++) {
      const due = start + (count * 1000) / perSecond
      if (due >= to) break
      const early = due - performance.now()
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
      asked.push(this.#seat().then((seat) => this.#ask(transport, seat)))
    }
    await Promise.all(asked)
    return this.#finish(measureMs)
  }

  close(): void {
    for (const { guests } of this.#seats) for (const guest of Object.values(guests)) guest.close()
    for (const screen of this.#screens.flat()) screen.close()
  }

  #measure(warmUpMs: number, measureMs: number) {
    const start = performance.now()
    this.#window = { from: start + warmUpMs, to: start + warmUpMs + measureMs }
    this.#answers = []
    this.#arrivals = []
    this.#asked = 0
    this.#cpu = cpuOf(this.system.pid)
    return { start, to: this.#window.to }
  }

  /** Every request was shown on every screen and completed before the figures count. */
  async #finish(measureMs: number): Promise<LoadResult> {
    while (this.#inFlight.size > 0) await this.#nextChange()
    const both = (samples: number[]) => ({ p50: percentile(samples, 0.5), p99: percentile(samples, 0.99) })
    return {
      perSecond: this.#answers.length / (measureMs / 1000),
      answer: both(this.#answers),
      screen: both(this.#arrivals),
      cpu: (cpuOf(this.system.pid) - this.#cpu) / this.#asked,
    }
  }

  async #seat(): Promise<GuestSeat> {
    for (;;) {
      for (let tried = 0; tried < this.#seats.length; tried++) {
        const seat = this.#seats[this.#next++ % this.#seats.length]
        if (seat && seat.free.length > 0) return seat
      }
      await this.#nextChange()
    }
  }

  async #ask(transport: Transport, seat: GuestSeat): Promise<void> {
    const serviceType = seat.free.shift()
    if (serviceType === undefined) return
    const id = randomUUID()
    const completer = seat.at.completers++ % screensPerRestaurant
    this.#asked++
    const sentAt = performance.now()
    this.#inFlight.set(id, { sentAt, seat, serviceType, completer, screens: 0, completed: false })
    try {
      await seat.guests[transport].ask({ id, serviceType })
    } catch (error) {
      this.#fail(error)
      throw error
    }
    const now = performance.now()
    if (now >= this.#window.from && now < this.#window.to) this.#answers.push(now - sentAt)
  }

  #received(restaurant: number, screen: number, id: string): void {
    const flight = this.#inFlight.get(id)
    if (!flight) return
    const now = performance.now()
    if (now >= this.#window.from && now < this.#window.to) this.#arrivals.push(now - flight.sentAt)
    flight.screens++
    const own = this.#screens[restaurant]?.[screen]
    if (screen === flight.completer && own) void this.#complete(own, id, flight)
    else this.#finishRequest(id, flight)
  }

  async #complete(screen: Screen, id: string, flight: InFlightRequest): Promise<void> {
    try {
      await screen.complete(id)
      flight.completed = true
      this.#finishRequest(id, flight)
    } catch (error) {
      this.#fail(error)
    }
  }

  #finishRequest(id: string, { seat, serviceType, completed, screens }: InFlightRequest): void {
    if (!completed || screens < screensPerRestaurant) return
    this.#inFlight.delete(id)
    seat.free.push(serviceType)
    for (const wake of this.#wake.splice(0)) wake()
  }

  async #nextChange(): Promise<void> {
    if (this.#failed !== undefined) throw this.#failed
    await new Promise<void>((resolve) => this.#wake.push(resolve))
    if (this.#failed !== undefined) throw this.#failed
  }

  #fail(error: unknown): void {
    this.#failed ??= error
    for (const wake of this.#wake.splice(0)) wake()
  }
}
