import { useCallback, useRef, useState } from 'react'
import type { Route } from '#contract/api.ts'
import { saidBy } from '../../api/http.ts'
import { useReads } from '../../api/queries.ts'
import { useToast } from '../../ui/toast.tsx'

type Change = {
  /** Asks the server. */
  work: () => Promise<unknown>
  done: string
  failed: string
  /** What it makes old. */
  refreshes: Route[]
}

/** One change at a time, with a toast of what became of it. True when it was made. */
export function useChange(): [busy: boolean, change: (change: Change) => Promise<boolean>] {
  const [busy, setBusy] = useState(false)
  const running = useRef(false)
  const { refresh } = useReads()
  const { toast } = useToast()
  const change = useCallback(
    async ({ work, done, failed, refreshes }: Change): Promise<boolean> => {
      if (running.current) return false
      running.current = true
      setBusy(true)
      try {
        await work()
        toast({ title: 'Success', description: done })
        return true
      } catch (problem) {
        toast({ title: 'Error', description: saidBy(problem, failed), destructive: true })
        return false
      } finally {
        running.current = false
        setBusy(false)
        // It may have been somebody else's change that was in the way.
        await refresh(...refreshes)
      }
    },
    [refresh, toast],
  )
  return [busy, change]
}
