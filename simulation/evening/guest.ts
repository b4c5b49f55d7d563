import { keysOf } from '#contract/keys-of.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import { canRemind } from '../../src/client/features/guest/requests/table-requests.ts'
import type { Chance } from '../chance.ts'
import type { Phone } from '../phone.ts'
import type { World } from '../restaurant.ts'
import type { Loss } from '../steps.ts'
import { Link } from './link.ts'
import { type Settings, tableCount } from './settings.ts'

const shares: Record<ServiceType, number> = {
  drinks: 5,
  general: 4,
  food: 3,
  check: 3,
  assistance: 1,
  other: 1,
}
const needs = keysOf(shares).map((type) => [shares[type], type] as const)

/** Of those who ask for what they wait for already. */
const impatientShare = 0.1
/** How often a guest who waits takes it back, and one who may says that they still wait. */
const cancelsPerHour = 6
const remindersPerHour = 120

/** A guest with a phone at each table, who asks for something now and then. */
export class Guest {
  readonly phone: Phone
  readonly link: Link
  #world: World
  #chance: Chance
  #retryAt = 0

  constructor(world: World, phone: Phone, chance: Chance) {
    this.#world = world
    this.phone = phone
    this.#chance = chance
    this.link = new Link(world, phone, chance)
  }

  /** True if anything has changed. */
  async step({ rush, losses }: Settings, tickMs: number): Promise<boolean> {
    const { phone, link } = this
    const happens = (perHour: number) => this.#chance.isLucky((perHour * tickMs) / 3_600_000)
    let hasActed = await link.step(losses, tickMs)
    const act = async (work: Promise<void>) => {
      hasActed = true
      await work
    }
    if (happens(rush / tableCount)) {
      const serviceType = this.#chance.pick(needs)
      const isAsked = phone.shown.open.some((request) => request.serviceType === serviceType)
      if (!isAsked || this.#chance.isLucky(impatientShare)) await act(this.tap(serviceType, losses))
    }
    const now = this.#world.time.now()
    if (phone.waiting.length > 0 && now >= this.#retryAt && !link.isGone) {
      this.#retryAt = now + this.#chance.between(2_000, 4_000)
      if (!this.#chance.isLucky(losses / 100)) await act(phone.retry())
    }
    for (const [which, request] of phone.shown.open.entries()) {
      if (request.state === 'waiting' && happens(cancelsPerHour))
        await act(phone.cancel(which, this.#network(losses)))
      else if (canRemind(request, now) && happens(remindersPerHour))
        await act(phone.stillWaiting(which, this.#network(losses)))
    }
    return hasActed
  }

  /** A tap that is not answered stays on the phone, which sends it again. */
  async tap(serviceType: ServiceType, losses: number): Promise<void> {
    this.#retryAt = this.#world.time.now() + this.#chance.between(2_000, 4_000)
    await this.phone.tap({ id: this.#chance.uuid(), serviceType }, this.#network(losses))
  }

  #network(losses: number): { loss: Loss; lateMs: number } {
    if (this.link.isGone) return { loss: 'call', lateMs: 0 }
    if (!this.#chance.isLucky(losses / 100)) return { loss: 'none', lateMs: 0 }
    const loss = this.#chance.pick([
      [1, 'call'],
      [1, 'answer'],
      [1, 'late'],
    ] as const)
    return { loss, lateMs: loss === 'late' ? this.#chance.between(200, 8_000) : 0 }
  }
}
