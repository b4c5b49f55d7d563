/** All that is random in a run comes from one seed (SplitMix32). */
export type Chance = {
  /** From 0 up to, but not including, 1. */
  number(): number
  /** From 0 up to, but not including, `below`. */
  index(below: number): number
  between(least: number, most: number): number
  isLucky(share: number): boolean
  pick<T>(weighted: readonly (readonly [weight: number, value: T])[]): T
  uuid(): string
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0
  const word = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  const number = () => word() / 2 ** 32
  const hex = () => word().toString(16).padStart(8, '0')
  return {
    number,
    index: (below) => Math.floor(number() * below),
    between: (least, most) => least + Math.floor(number() * (most - least + 1)),
    isLucky: (share) => number() < share,
    pick<T>(weighted: readonly (readonly [number, T])[]): T {
      let left = number() * weighted.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, value] of weighted) {
        left -= weight
        if (left < 0) return value
      }
      throw new Error('Nothing to pick from')
    },
    uuid() {
      const [a, b, c, d] = [hex(), hex(), hex(), hex()]
      return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${d}`
    },
  }
}
