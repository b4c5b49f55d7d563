export type BucketRate = { burst: number; perSecond: number }

/** Holds up to `burst` tokens and refills steadily. */
export class TokenBucket {
  #rate: BucketRate
  #tokens: number
  #refilledAt: number

  constructor(rate: BucketRate, now: number) {
    this.#rate = rate
    this.#tokens = rate.burst
    this.#refilledAt = now
  }

  isFull(now: number): boolean {
    this.#refill(now)
    return this.#tokens === this.#rate.burst
  }

  has(cost: number, now: number): boolean {
    this.#refill(now)
    return this.#tokens >= cost
  }

  /** Takes `cost` tokens and returns 0, or takes none and returns how many milliseconds it is too early. */
  take(cost: number, now: number): number {
    if (!this.has(cost, now)) return ((cost - this.#tokens) / this.#rate.perSecond) * 1000
    this.#tokens -= cost
    return 0
  }

  #refill(now: number): void {
    const gained = (Math.max(0, now - this.#refilledAt) / 1000) * this.#rate.perSecond
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + gained)
    this.#refilledAt = now
  }
}
