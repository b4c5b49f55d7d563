import { Listeners } from './listeners.ts'

/** Less than this is what a network and a second's rounding make of clocks that agree. */
const leastMs = 30_000

let aheadMs = 0
const listeners = new Listeners()

/** Told when the difference between the clocks is found, or has changed. */
export const onServerClock = listeners.add

/** A moment by the clock of this device, as the server's says it: the device's own may be wrong by an hour. */
export const toServerTime = (deviceTime: number): number => deviceTime + aheadMs

/** For what is compared with the server's times: how long a guest waits must not depend on the device's clock. */
export const serverNow = (): number => toServerTime(Date.now())

/** `date`: when the server answered, in its own words. */
export function compareClocks(date: string | null): void {
  const found = Date.parse(date ?? '') - Date.now()
  if (!(Math.abs(found - aheadMs) >= leastMs)) return
  aheadMs = Math.abs(found) < leastMs ? 0 : found
  listeners.tell()
}
