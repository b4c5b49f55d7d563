import { hourMs, minuteMs } from '#contract/durations.ts'
import { formatDuration, Refusal } from '../core/errors.ts'
import type { LimitName, Limits } from '../core/ports.ts'

type RateLimit = { max: number; windowMs: number; message: (waitMs: number) => string }

const guestMessage = (waitMs: number) =>
  `You have asked many times in a short while. Please wait ${formatDuration(waitMs)} and try again.`
const busyMessage = (waitMs: number) =>
  `Many requests are arriving right now. Please wait ${formatDuration(waitMs)} and try again.`
const urgeMessage = (waitMs: number) =>
  `You have told the crew many times. Please try again in ${formatDuration(waitMs)}.`
const unknownTableMessage = (waitMs: number) =>
  `Too many tables were not found. Please scan the code on your table, or try again in ${formatDuration(waitMs)}.`
const newNameMessage = (waitMs: number) =>
  `Many restaurant names were taken from here. Please try again in ${formatDuration(waitMs)}.`
const signUpMessage = (waitMs: number) =>
  `Many restaurants are signing up right now. Please try again in ${formatDuration(waitMs)}.`
const codeSheetMessage = (waitMs: number) =>
  `The table codes were drawn many times. Please try again in ${formatDuration(waitMs)}.`
const attemptsMessage = (waitMs: number) =>
  `Too many attempts. Please try again in ${formatDuration(waitMs)}.`

const deviceCodeMessage = (waitMs: number) =>
  `Too many attempts. Please scan the code instead, or try again in ${formatDuration(waitMs)}.`

/**
 * Limits for logins, PINs and device codes count failures only, `guest-miss` counts tables and restaurants that do not
 * exist. Everybody in a restaurant shares one address, so limits by address leave room for 200 guests; `login-device`
 * and `pin` lock out one browser and no other.
 */
const rateLimits: Record<LimitName, RateLimit> = {
  'guest-device': { max: 12, windowMs: 10 * minuteMs, message: guestMessage },
  'guest-table': { max: 20, windowMs: 10 * minuteMs, message: guestMessage },
  'guest-address': { max: 600, windowMs: 10 * minuteMs, message: busyMessage },
  'guest-restaurant': { max: 240, windowMs: minuteMs, message: busyMessage },
  'guest-urge-device': { max: 60, windowMs: 10 * minuteMs, message: urgeMessage },
  'guest-urge-address': { max: 3_000, windowMs: 10 * minuteMs, message: busyMessage },
  'guest-miss-device': { max: 20, windowMs: 10 * minuteMs, message: unknownTableMessage },
  'guest-miss-address': { max: 400, windowMs: 10 * minuteMs, message: unknownTableMessage },
  login: { max: 5, windowMs: 15 * minuteMs, message: attemptsMessage },
  'login-address': { max: 100, windowMs: hourMs, message: attemptsMessage },
  'login-account': { max: 50, windowMs: 24 * hourMs, message: attemptsMessage },
  'login-device': { max: 5, windowMs: 15 * minuteMs, message: attemptsMessage },
  pin: { max: 5, windowMs: 15 * minuteMs, message: attemptsMessage },
  'pin-browser': { max: 10, windowMs: 24 * hourMs, message: attemptsMessage },
  'pin-member': { max: 50, windowMs: 24 * hourMs, message: attemptsMessage },
  'new-name-hour': { max: 10, windowMs: hourMs, message: newNameMessage },
  'new-name-day': { max: 30, windowMs: 24 * hourMs, message: newNameMessage },
  'code-sheet': { max: 20, windowMs: minuteMs, message: codeSheetMessage },
  'new-name-all': { max: 30, windowMs: minuteMs, message: signUpMessage },
  'refusal-log': { max: 20, windowMs: minuteMs, message: attemptsMessage },
  'oidc-address': { max: 100, windowMs: hourMs, message: attemptsMessage },
  'csp-report-address': { max: 60, windowMs: minuteMs, message: busyMessage },
  'csp-report-all': { max: 60, windowMs: minuteMs, message: busyMessage },
  'device-code': { max: 4, windowMs: 15 * minuteMs, message: deviceCodeMessage },
  'device-code-address': { max: 20, windowMs: hourMs, message: deviceCodeMessage },
  'device-code-all': { max: 1_000, windowMs: hourMs, message: deviceCodeMessage },
  'staff-password': { max: 10, windowMs: hourMs, message: attemptsMessage },
}

/** How many keys one limit remembers; beyond that it forgets the oldest tenth. */
const maxKeys = 50_000
const keysAfterCleanup = 45_000

type Window = { count: number; endsAt: number }

/**
 * Counts in the memory of this process. All windows of one limit are equally long, so its map, in the order in which
 * windows opened, is also in the order in which they end.
 */
export function createMemoryRateLimits(options: { guests: boolean; now?: () => number }): Limits {
  const now = options.now ?? Date.now
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
    const { max, message } = rateLimits[name]
    if (!window || window.count < max) return
    const waitMs = window.endsAt - now()
    throw new Refusal('rate_limited', message(waitMs), { retryAfter: Math.ceil(waitMs / 1000) })
  }

  return {
    async take(name, key) {
      if (isOff(name)) return
      const window = currentWindow(name, key) ?? openWindow(windowsOf(name), key, rateLimits[name].windowMs)
      throwIfFull(name, window)
      window.count += 1
    },
    async check(name, key) {
      if (!isOff(name)) throwIfFull(name, currentWindow(name, key))
    },
    async clear(name, key) {
      windowsOf(name).delete(key)
    },
  }
}
