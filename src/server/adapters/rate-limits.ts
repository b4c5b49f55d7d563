import { createHash } from 'node:crypto'
import { minuteMs } from '#contract/durations.ts'
import { limitReached, limitRules } from '../core/limits/limit-rules.ts'
import type { LimitCount, LimitKey, LimitName, Limits } from '../ports/limits.ts'

/** How many keys one limit remembers; beyond that it forgets the oldest tenth. */
const maxKeys = 50_000
const keysAfterCleanup = 45_000
/** Whatever guests call their table, a key takes little room, here and on the way to other servers. */
const maxKeyLength = 120

type Window = { count: number; endsAt: number }

export type MemoryLimits = Limits & {
  /** Adds what other servers counted; of totals, the higher count is right. */
  add(counts: readonly LimitCount[], options: { areTotals: boolean }): void
  /** Everything that is at least at a quarter of its limit. */
  totals(): LimitCount[]
}

type Options = {
  guests: boolean
  now?: () => number
  /** Called for each count of this process. */
  onCount?: (count: LimitCount) => void
}

const shorten = (key: string): string =>
  key.length > maxKeyLength ? createHash('sha256').update(key).digest('base64url') : key

/**
 * Counts in the memory of this process. The windows of one limit are equally long, but for what other servers added, so
 * its map, in the order in which windows opened, is nearly in the order in which they end.
 */
export function createMemoryRateLimits(options: Options): MemoryLimits {
  // By the time of day, windows would last longer by as much as the clock is set back, and refuse whoever has waited.
  const now = options.now ?? (() => Math.trunc(performance.now()))
  const windowsByLimit = new Map<LimitName, Map<string, Window>>()
  let nextSweepAt = 0

  const isOff = (name: LimitName): boolean => !options.guests && name.startsWith('guest-')

  function windowsOf(name: LimitName): Map<string, Window> {
    const windows = windowsByLimit.get(name) ?? new Map<string, Window>()
    windowsByLimit.set(name, windows)
    return windows
  }

  function dropExpired(windows: Map<string, Window>, maxSize: number): void {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now() && windows.size <= maxSize) return
      windows.delete(key)
    }
  }

  function openWindow(windows: Map<string, Window>, key: string, windowMs: number): Window {
    if (now() >= nextSweepAt) {
      for (const other of windowsByLimit.values()) dropExpired(other, maxKeys)
      nextSweepAt = now() + minuteMs
    }
    if (windows.size >= maxKeys) dropExpired(windows, keysAfterCleanup)
    const window = { count: 0, endsAt: now() + windowMs }
    windows.delete(key)
    windows.set(key, window)
    return window
  }

  function currentWindow(name: LimitName, key: string): Window | undefined {
    const window = windowsOf(name).get(key)
    return window && window.endsAt > now() ? window : undefined
  }

  function throwIfFull(name: LimitName, window: Window | undefined): void {
    if (window && window.count >= limitRules[name].max) throw limitReached(name, window.endsAt - now())
  }

  function check([name, key]: LimitKey): void {
    if (!isOff(name)) throwIfFull(name, currentWindow(name, shorten(key)))
  }

  function count([name, wholeKey]: LimitKey): void {
    if (isOff(name)) return
    const key = shorten(wholeKey)
    const window = currentWindow(name, key) ?? openWindow(windowsOf(name), key, limitRules[name].windowMs)
    window.count += 1
    options.onCount?.([name, key, 1, window.endsAt - now()])
  }

  function add([name, wholeKey, count, leftMs]: LimitCount, areTotals: boolean): void {
    const { max, windowMs } = limitRules[name]
    // Servers of earlier versions send whole keys.
    const key = shorten(wholeKey)
    const window = currentWindow(name, key) ?? openWindow(windowsOf(name), key, leftMs)
    if (areTotals) {
      window.count = Math.max(window.count, count)
      window.endsAt = Math.max(window.endsAt, now() + leftMs)
      return
    }
    // Servers that count in the same moment let more pass than one would. Whoever used that waits for it longer.
    const excess = window.count + count - Math.max(window.count, max)
    window.count += count
    if (excess > 0) window.endsAt += (excess / max) * windowMs
  }

  return {
    async take(...key) {
      check(key)
      count(key)
    },
    async check(...key) {
      check(key)
    },
    async takeAll(taken, alsoChecked = [], cleared = []) {
      for (const key of [...alsoChecked, ...taken]) check(key)
      for (const key of taken) count(key)
      for (const [name, key] of cleared) windowsOf(name).delete(shorten(key))
    },
    async clear(name, key) {
      windowsOf(name).delete(shorten(key))
    },
    add(counts, { areTotals }) {
      for (const count of counts)
        if (Object.hasOwn(limitRules, count[0]) && !isOff(count[0])) add(count, areTotals)
    },
    totals: () =>
      [...windowsByLimit].flatMap(([name, windows]) =>
        [...windows]
          .filter(([, { count, endsAt }]) => endsAt > now() && count * 4 >= limitRules[name].max)
          .map(([key, { count, endsAt }]): LimitCount => [name, key, count, endsAt - now()]),
      ),
  }
}
