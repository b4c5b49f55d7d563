import { type JSX, useCallback } from 'react'
import { formatTimeAgo } from '../../lib/time/dates.ts'
import { showTime } from '../../lib/time/ticker.ts'

type TimeTextProps = {
  /** In epoch milliseconds, by the server's clock. */
  at: number
  /** Words the time since then. */
  format?: (elapsedMs: number) => string
  /** Seconds are shown beyond the first minute, too. */
  precise?: boolean
}

const units = [1000, 60_000, 3_600_000, 86_400_000]

/** When the largest whole unit of the time since `at` changes. */
function nextChange(at: number, now: number, precise: boolean): number {
  const elapsed = Math.max(0, now - at)
  const unit = precise ? 1000 : (units.findLast((size) => elapsed >= size) ?? 1000)
  return at + (Math.floor(elapsed / unit) + 1) * unit
}

/** '3s ago'. React renders nothing while it changes: hundreds of tickets must not slow down the screen. */
export function TimeText({ at, format = formatTimeAgo, precise = false }: TimeTextProps): JSX.Element {
  const show = useCallback(
    (element: HTMLTimeElement) =>
      showTime((now) => {
        const text = format(now - at)
        if (element.textContent !== text) element.textContent = text
        return nextChange(at, now, precise)
      }),
    [at, format, precise],
  )
  return <time ref={show} dateTime={new Date(at).toISOString()} />
}
