import { randomUUID } from 'node:crypto'
import { type ServiceType, serviceTypes } from '#contract/requests.ts'
import { percentile } from './figures.ts'
import { cpuOf } from './machine.ts'
import type { Guest, Screen, System, Transport } from './system.ts'

export const restaurants = 20
export const screensEach = 10
const tablesEach = 24

export type Result = {
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
type Seat = { at: { completers: number }; guests: Record<Transport, Guest>; free: ServiceType[] }

type Flight = {
  sentAt: number
  seat: Seat
  serviceType: ServiceType
  /** The screen whose crew member does it. */
  completer: number
  /** On how many screens it was shown. */
  screens: number
  completed: boolean
}

/** The guests and crew screens of one system, and what they see of each other. Their clock is one. */
export class House {
  readonly system: System
  #seats: Seat[] = []
  #screens: Screen[][] = []
  #flights = new Map<string, Flight>()
  #next = 0
  #wake: (() => void)[] = []
  #failed: unknown
  #window = { from: Number.POSITIVE_INFINITY, to: Number.POSITIVE_INFINITY }
  #answers: number[] = []
  #arrivals: number[] = []
  #asked = 0
  #cpu = 0

  private constructor(system: System) {
    this.system = system
  }

  static async open(system: System): Promise<House> {
    const house = new House(system)
    for (let restaurant = 0; restaurant < restaurants; restaurant++) {
      house.#screens.push(
        await Promise.all(
          Array.from({ length: screensEach }, (_, screen) =>
            system.openScreen(restaurant, (id) => house.#heard(restaurant, screen, id)),
          ),
        ),
      )
    }
    const houses = Array.from({ length: restaurants }, () => ({ completers: 0 }))
    for (let table = 1; table <= tablesEach; table++) {
      house.#seats.push(
        ...(await Promise.all(
          houses.map(async (at, restaurant): Promise<Seat> => {
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
  ): Promise<Result> {
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
  ): Promise<Result> {
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
  async #finish(measureMs: number): Promise<Result> {
    while (this.#flights.size > 0) await this.#change()
    const both = (samples: number[]) => ({ p50: percentile(samples, 0.5), p99: percentile(samples, 0.99) })
    return {
      perSecond: this.#answers.length / (measureMs / 1000),
      answer: both(this.#answers),
      screen: both(this.#arrivals),
      cpu: (cpuOf(this.system.pid) - this.#cpu) / this.#asked,
    }
  }

  async #seat(): Promise<Seat> {
    for (;;) {
      for (let tried = 0; tried < this.#seats.length; tried++) {
        const seat = this.#seats[this.#next++ % this.#seats.length]
        if (seat && seat.free.length > 0) return seat
      }
      await this.#change()
    }
  }

  async #ask(transport: Transport, seat: Seat): Promise<void> {
    const serviceType = seat.free.shift()
    if (serviceType === undefined) return
    const id = randomUUID()
    const completer = seat.at.completers++ % screensEach
    this.#asked++
    const sentAt = performance.now()
    this.#flights.set(id, { sentAt, seat, serviceType, completer, screens: 0, completed: false })
    try {
      await seat.guests[transport].ask({ id, serviceType })
    } catch (error) {
      this.#fail(error)
      throw error
    }
    const now = performance.now()
    if (now >= this.#window.from && now < this.#window.to) this.#answers.push(now - sentAt)
  }

  #heard(restaurant: number, screen: number, id: string): void {
    const flight = this.#flights.get(id)
    if (!flight) return
    const now = performance.now()
    if (now >= this.#window.from && now < this.#window.to) this.#arrivals.push(now - flight.sentAt)
    flight.screens++
    const own = this.#screens[restaurant]?.[screen]
    if (screen === flight.completer && own) void this.#complete(own, id, flight)
    else this.#land(id, flight)
  }

  async #complete(screen: Screen, id: string, flight: Flight): Promise<void> {
    try {
      await screen.complete(id)
      flight.completed = true
      this.#land(id, flight)
    } catch (error) {
      this.#fail(error)
    }
  }

  #land(id: string, { seat, serviceType, completed, screens }: Flight): void {
    if (!completed || screens < screensEach) return
    this.#flights.delete(id)
    seat.free.push(serviceType)
    for (const wake of this.#wake.splice(0)) wake()
  }

  async #change(): Promise<void> {
    if (this.#failed !== undefined) throw this.#failed
    await new Promise<void>((resolve) => this.#wake.push(resolve))
    if (this.#failed !== undefined) throw this.#failed
  }

  #fail(error: unknown): void {
    this.#failed ??= error
    for (const wake of this.#wake.splice(0)) wake()
  }
}
