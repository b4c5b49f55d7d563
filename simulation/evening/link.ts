import type { Chance } from '../chance.ts'
import type { Phone } from '../phone.ts'
import { connectScreen, type World } from '../restaurant.ts'
import type { Tablet } from '../tablet.ts'

/** How soon a page notices that nothing arrives any more. */
const silenceMs = 10_000
/** How often a bad network ends the connection of each screen where losses are set to their maximum. */
const cutsPerHour = 60

export type Network = 'good' | 'gone' | 'half-open' | 'connecting'

/** The network between the server and one screen, whose page connects anew by itself. */
export class Link {
  readonly screen: Phone | Tablet
  #world: World
  #chance: Chance
  #isGone = false
  #frozenAt = 0
  /** Null while it is connected. */
  #retryAt: number | null = null

  constructor(world: World, screen: Phone | Tablet, chance: Chance) {
    this.#world = world
    this.screen = screen
    this.#chance = chance
  }

  get network(): Network {
    if (this.#isGone) return 'gone'
    if (this.screen.isFrozen) return 'half-open'
    return this.screen.isConnected ? 'good' : 'connecting'
  }

  get isGone(): boolean {
    return this.#isGone
  }

  take(): void {
    this.#isGone = true
    this.screen.cut()
  }

  freeze(): void {
    this.#frozenAt = this.#world.time.now()
    this.screen.freeze()
  }

  giveBack(): void {
    this.#isGone = false
    this.#retryAt = null
    this.screen.thaw()
  }

  /** True if anything has changed. */
  async step(losses: number, tickMs: number): Promise<boolean> {
    const { screen } = this
    const now = this.#world.time.now()
    const isCut = this.#chance.isLucky(((losses / 100) * cutsPerHour * tickMs) / 3_600_000)
    if (screen.isConnected && (isCut || (screen.isFrozen && now - this.#frozenAt >= silenceMs))) {
      screen.cut()
      return true
    }
    if (screen.isConnected || this.#isGone) {
      this.#retryAt = null
      return false
    }
    this.#retryAt ??= now + this.#chance.between(500, 3_000)
    if (now < this.#retryAt) return false
    this.#retryAt = null
    await connectScreen(this.#world, screen)
    return true
  }
}
