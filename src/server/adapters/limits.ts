import { duration, Refusal } from '../core/errors.ts'
import type { LimitName, Limits } from '../core/ports.ts'

const minutes = 60_000
const hours = 60 * minutes

type Limit = { takes: number; inMs: number; refusal: (waitMs: number) => string }

const guest = (waitMs: number) =>
  `You have asked many times in a short while. Please wait ${duration(waitMs)} and try again.`
const busy = (waitMs: number) =>
  `Many requests are arriving right now. Please wait ${duration(waitMs)} and try again.`
const urged = (waitMs: number) =>
  `You have told the crew many times. Please try again in ${duration(waitMs)}.`
const lost = (waitMs: number) =>
  `Too many tables were not found. Please scan the code on your table, or try again in ${duration(waitMs)}.`
const names = (waitMs: number) =>
  `Many restaurant names were taken from here. Please try again in ${duration(waitMs)}.`
const signUps = (waitMs: number) =>
  `Many restaurants are signing up right now. Please try again in ${duration(waitMs)}.`
const sheets = (waitMs: number) =>
  `The table codes were drawn many times. Please try again in ${duration(waitMs)}.`
const attempts = (waitMs: number) => `Too many attempts. Please try again in ${duration(waitMs)}.`

const digits = (waitMs: number) =>
  `Too many attempts. Please scan the code instead, or try again in ${duration(waitMs)}.`

/**
 * The logins', the PINs' and the device codes' are taken by failures only, `guest-miss` by tables and restaurants
 * that are not there. Everybody in a restaurant shares one address, so its limits leave room for 200 guests;
 * `login-device` and `pin` shut out one browser, and no other.
 */
const limits: Record<LimitName, Limit> = {
  'guest-device': { takes: 12, inMs: 10 * minutes, refusal: guest },
  'guest-table': { takes: 20, inMs: 10 * minutes, refusal: guest },
  'guest-address': { takes: 600, inMs: 10 * minutes, refusal: busy },
  'guest-restaurant': { takes: 240, inMs: minutes, refusal: busy },
  'guest-urge-device': { takes: 60, inMs: 10 * minutes, refusal: urged },
  'guest-urge-address': { takes: 3_000, inMs: 10 * minutes, refusal: busy },
  'guest-miss-device': { takes: 20, inMs: 10 * minutes, refusal: lost },
  'guest-miss-address': { takes: 400, inMs: 10 * minutes, refusal: lost },
  login: { takes: 5, inMs: 15 * minutes, refusal: attempts },
  'login-address': { takes: 100, inMs: hours, refusal: attempts },
  'login-account': { takes: 50, inMs: 24 * hours, refusal: attempts },
  'login-device': { takes: 5, inMs: 15 * minutes, refusal: attempts },
  pin: { takes: 5, inMs: 15 * minutes, refusal: attempts },
  'pin-browser': { takes: 10, inMs: 24 * hours, refusal: attempts },
  'pin-member': { takes: 50, inMs: 24 * hours, refusal: attempts },
  'new-name-hour': { takes: 10, inMs: hours, refusal: names },
  'new-name-day': { takes: 30, inMs: 24 * hours, refusal: names },
  'code-sheet': { takes: 20, inMs: minutes, refusal: sheets },
  'new-name-all': { takes: 30, inMs: minutes, refusal: signUps },
  'refusal-log': { takes: 20, inMs: minutes, refusal: attempts },
  'oidc-address': { takes: 100, inMs: hours, refusal: attempts },
  'csp-report-address': { takes: 60, inMs: minutes, refusal: busy },
  'csp-report-all': { takes: 60, inMs: minutes, refusal: busy },
  'device-code': { takes: 4, inMs: 15 * minutes, refusal: digits },
  'device-code-address': { takes: 20, inMs: hours, refusal: digits },
  'device-code-all': { takes: 1_000, inMs: hours, refusal: digits },
  'staff-password': { takes: 10, inMs: hours, refusal: attempts },
}

/** More keys than this are not remembered for one limit: the oldest tenth is forgotten first. */
const mostKeys = 50_000
const keptKeys = 45_000

type Window = { taken: number; endsAt: number }

/**
 * Counts in the memory of this process. All windows of one limit are equally long, so its map, kept in the
 * order of opening, is also in the order of ending.
 */
export function memoryLimits(options: { guests: boolean; now?: () => number }): Limits {
  const now = options.now ?? Date.now
  const counts = new Map<LimitName, Map<string, Window>>()
  let sweepAt = 0

  const isOff = (name: LimitName): boolean => !options.guests && name.startsWith('guest-')

  function windowsOf(name: LimitName): Map<string, Window> {
    const windows = counts.get(name) ?? new Map<string, Window>()
    counts.set(name, windows)
    return windows
  }

  function forget(windows: Map<string, Window>, most: number): void {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now() && windows.size <= most) return
      windows.delete(key)
    }
  }

  function open(windows: Map<string, Window>, key: string, inMs: number): Window {
    if (now() >= sweepAt) {
      for (const some of counts.values()) forget(some, mostKeys)
      sweepAt = now() + minutes
    }
    if (windows.size >= mostKeys) forget(windows, keptKeys)
    const window = { taken: 0, endsAt: now() + inMs }
    windows.delete(key)
    windows.set(key, window)
    return window
  }

  function current(name: LimitName, key: string): Window | undefined {
    const window = windowsOf(name).get(key)
    return window && window.endsAt > now() ? window : undefined
  }

  function refuseIfFull(name: LimitName, window: Window | undefined): void {
    const { takes, refusal } = limits[name]
    if (!window || window.taken < takes) return
    const waitMs = window.endsAt - now()
    throw new Refusal('rate_limited', refusal(waitMs), { retryAfter: Math.ceil(waitMs / 1000) })
  }

  return {
    async take(name, key) {
      if (isOff(name)) return
      const window = current(name, key) ?? open(windowsOf(name), key, limits[name].inMs)
      refuseIfFull(name, window)
      window.taken += 1
    },
    async check(name, key) {
      if (!isOff(name)) refuseIfFull(name, current(name, key))
    },
    async clear(name, key) {
      windowsOf(name).delete(key)
    },
  }
}
