import { useCallback } from 'react'
import type { Route } from '#contract/api.ts'
import { errorMessage } from '../../api/http.ts'
import { useApiCache } from '../../api/queries.ts'
import { useTask } from '../../lib/hooks/use-task.ts'
import { t } from '../../lib/texts/translate.ts'
import { useErrorToast, useToast } from '../../ui/toast/toast.tsx'

type Change = {
  send: () => Promise<unknown>
  successMessage: string
  errorMessage: string
  /** What has to be read again afterwards. */
  refreshes: Route[]
}

/** One change at a time, followed by a toast. Resolves to true on success. */
export function useChange(): [busy: boolean, change: (change: Change) => Promise<boolean>] {
  const [busy, run] = useTask()
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const showError = useErrorToast()
  const change = useCallback(
    async ({ send, successMessage, errorMessage: fallback, refreshes }: Change): Promise<boolean> => {
      const succeeded = await run(async () => {
        try {
          await send()
          toast({ title: t('Success'), description: t(successMessage) })
          return true
        } catch (error) {
          showError(errorMessage(error, fallback))
          return false
        }
      })
      // Also after a failure: it may have been somebody else's change that was in the way.
      if (succeeded !== undefined) await invalidate(...refreshes)
      return succeeded === true
    },
    [run, invalidate, toast, showError],
  )
  return [busy, change]
}
