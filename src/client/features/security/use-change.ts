import { useCallback, useRef, useState } from 'react'
import type { Route } from '#contract/api.ts'
import { errorMessage } from '../../api/http.ts'
import { useApiCache } from '../../api/queries.ts'
import { useErrorToast, useToast } from '../../ui/toast.tsx'

type Change = {
  send: () => Promise<unknown>
  successMessage: string
  errorMessage: string
  /** What has to be read again afterwards. */
  refreshes: Route[]
}

/** One change at a time, followed by a toast. Resolves to true on success. */
export function useChange(): [busy: boolean, change: (change: Change) => Promise<boolean>] {
  const [busy, setBusy] = useState(false)
  const running = useRef(false)
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const showError = useErrorToast()
  const change = useCallback(
    async ({ send, successMessage, errorMessage: fallback, refreshes }: Change): Promise<boolean> => {
      if (running.current) return false
      running.current = true
      setBusy(true)
      try {
        await send()
        toast({ title: 'Success', description: successMessage })
        return true
      } catch (error) {
        showError(errorMessage(error, fallback))
        return false
      } finally {
        running.current = false
        setBusy(false)
        // Also after a failure: it may have been somebody else's change that was in the way.
        await invalidate(...refreshes)
      }
    },
    [invalidate, toast, showError],
  )
  return [busy, change]
}
