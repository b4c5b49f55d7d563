import { useCallback, useRef, useState } from 'react'
import type { Route } from '#contract/api.ts'
import { errorMessage } from '../../api/http.ts'
import { useApiCache } from '../../api/queries.ts'
import { useErrorToast, useToast } from '../../ui/toast.tsx'

type Change = {
  /** Asks the server. */
  send: () => Promise<unknown>
  successMessage: string
  errorMessage: string
  /** What it makes old. */
  refreshes: Route[]
}

/** One change at a time, with a toast of what became of it. True when it was made. */
export function useChange(): [busy: boolean, change: (change: Change) => Promise<boolean>] {
  const [busy, setBusy] = useState(false)
  const running = useRef(false)
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const showError = useErrorToast()
  const change = useCallback(
    async ({
      send: work,
      successMessage: done,
      errorMessage: failed,
      refreshes,
    }: Change): Promise<boolean> => {
      if (running.current) return false
      running.current = true
      setBusy(true)
      try {
        await work()
        toast({ title: 'Success', description: done })
        return true
      } catch (error) {
        showError(errorMessage(error, failed))
        return false
      } finally {
        running.current = false
        setBusy(false)
        // It may have been somebody else's change that was in the way.
        await invalidate(...refreshes)
      }
    },
    [invalidate, toast, showError],
  )
  return [busy, change]
}
