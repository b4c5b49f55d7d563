import { useEffect } from 'react'
import { probeServer } from '../../../api/http.ts'
import { useLive } from '../../../api/live/use-live.ts'

/** What is less is put down to the network, too. */
const leastMs = 30_000

/** By how much the device's clock is ahead of the one that nobody can set. */
const lead = (): number => Date.now() - performance.now()

/**
 * Asks the server what time it is once the device's clock has been set: nothing else may be asked for minutes. Looks as
 * messages come, of which the answer to each ping is one, and needs no timer.
 */
export function ClockCheck(): null {
  const live = useLive()
  useEffect(() => {
    let known = lead()
    let isAsking = false
    const check = async (): Promise<void> => {
      const found = lead()
      if (isAsking || Math.abs(found - known) < leastMs) return
      isAsking = true
      if ((await probeServer()) === 'answers') known = found
      isAsking = false
    }
    return live.onMessage(() => void check())
  }, [live])
  return null
}
