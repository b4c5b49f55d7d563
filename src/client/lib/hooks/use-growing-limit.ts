import { startTransition, useEffect, useState } from 'react'
import { afterPaint } from './after-paint.ts'

type Steps = {
  /** How many are rendered first, and by how many it grows after each paint. */
  first: number
  step: number
  /** Stays as it is until then. */
  isReady?: boolean
}

/** How much of a long list to render: hundreds of rows at once would hold up everything else. */
export function useGrowingLimit(count: number, { first, step, isReady = true }: Steps): number {
  const [limit, setLimit] = useState(first)
  // After a filter that finds few, the others come back step by step, too.
  const most = Math.max(first, count)
  if (limit > most) setLimit(most)
  useEffect(() => {
    if (!isReady || limit >= count) return undefined
    let isStale = false
    afterPaint(() => {
      if (!isStale) startTransition(() => setLimit(limit + step))
    })
    return () => {
      isStale = true
    }
  }, [isReady, limit, count, step])
  return limit
}
