import type { Ctx } from '../../core/ctx.ts'
import { escalateAllUnattended } from '../../core/requests/escalation/escalation.ts'
import { reloadGraceMs } from './presence-times.ts'

/** In milliseconds: what is due within it is done together. */
const togetherMs = 50
const escalatedAtOnce = 200

/** Escalates requests when nobody is left to hear them. */
export class UnattendedRequests {
  #ctx: Ctx
  /** Restaurants where nobody may be left, and when that is asked; the first due first. */
  #due = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(ctx: Ctx) {
    this.#ctx = ctx
  }

  presenceChanged(restaurantId: string): void {
    if (this.#due.has(restaurantId)) return
    this.#due.set(restaurantId, performance.now() + reloadGraceMs)
    if (this.#due.size === 1) this.#wakeIn(reloadGraceMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #wakeIn(ms: number): void {
    this.#timer = setTimeout(() => this.#escalateDue(), ms)
  }

  #escalateDue(): void {
    const restaurantIds: string[] = []
    for (const [restaurantId, at] of this.#due) {
      const waitMs = at - performance.now()
      if (waitMs > togetherMs) {
        this.#wakeIn(waitMs)
        break
      }
      restaurantIds.push(restaurantId)
      this.#due.delete(restaurantId)
    }
    this.#ctx.background(() => this.#escalate(restaurantIds))
  }

  /** After a start they may be all restaurants. */
  async #escalate(restaurantIds: readonly string[]): Promise<void> {
    for (let at = 0; at < restaurantIds.length; at += escalatedAtOnce)
      await escalateAllUnattended(this.#ctx, restaurantIds.slice(at, at + escalatedAtOnce))
  }
}
