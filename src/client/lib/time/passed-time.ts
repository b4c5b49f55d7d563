let passedMs = 0
let wall = Date.now()
let steady = performance.now()

/**
 * The time that has passed, in milliseconds: it goes on when the device's clock is set back, and counts its sleep, in
 * which clocks that cannot be set may stand still.
 */
export function passedTime(): number {
  const [now, steadyNow] = [Date.now(), performance.now()]
  passedMs += Math.max(now - wall, steadyNow - steady)
  wall = now
  steady = steadyNow
  return passedMs
}
