import type { SimilarRequests } from '#contract/analytics.ts'
import { hourMs } from '#contract/durations.ts'
import type { ExpectedTime } from '#contract/requests/requests.ts'
import { type NeedKey, ownNeedKey } from '../../../storage/requests/asked-need.ts'
import { loadClassOf } from '../../analytics/expected-times.ts'
import type { Ctx } from '../../ctx.ts'
import { Refusal } from '../../errors.ts'

const keyOf = ({ serviceType, need }: SimilarRequests): NeedKey => (need ? ownNeedKey(need.id) : serviceType)

const freshMs = hourMs
const maxRestaurants = 2_000

/**
 * What is known of the restaurants that tell their guests how long it takes. It is worked out in the background at the
 * first request of an hour, so nobody waits for it.
 */
export class ExpectedTimesCache {
  #ctx: () => Ctx
  #known = new Map<string, { at: number; similar: readonly SimilarRequests[] }>()
  #loading = new Set<string>()

  constructor(ctx: () => Ctx) {
    this.#ctx = ctx
  }

  find(restaurantId: string, need: NeedKey, openCount: number): ExpectedTime | null {
    const known = this.#known.get(restaurantId)
    if (!known || known.at <= this.#ctx().now() - freshMs) this.#load(restaurantId)
    const { from } = loadClassOf(openCount)
    const group = known?.similar.find((each) => keyOf(each) === need && each.others.from === from)
    return group?.expected ?? null
  }

  #load(restaurantId: string): void {
    if (this.#loading.has(restaurantId)) return
    this.#loading.add(restaurantId)
    const ctx = this.#ctx()
    ctx.background(async () => {
      try {
        const at = ctx.now()
        const { similar } = await ctx.analytics.expectedTimes({
          kind: 'expectedTimes',
          subject: { restaurantId, now: at },
        })
        this.#known.delete(restaurantId)
        const [oldest] = this.#known.keys()
        if (this.#known.size >= maxRestaurants && oldest !== undefined) this.#known.delete(oldest)
        this.#known.set(restaurantId, { at, similar })
      } catch (error) {
        // Too much is being computed right now: the next request asks again.
        if (!(error instanceof Refusal)) throw error
      } finally {
        this.#loading.delete(restaurantId)
      }
    })
  }
}
