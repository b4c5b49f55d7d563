import { useCallback } from 'react'
import { api } from '#contract/api.ts'
import { call, errorMessage } from '../../api/http.ts'
import { useCancelQueries } from '../../api/use-sign-out.ts'
import { clearSessionStorage, clearTab, setStored } from '../../lib/browser/browser-storage.ts'
import { leaveFor } from '../../lib/hooks/use-close-on-back.ts'
import { useTask } from '../../lib/hooks/use-task.ts'
import { useErrorToastOrSignIn } from './use-sign-in-redirect.ts'

/** Loaded anew, so that nothing of the other restaurant stays. */
function openHome(): void {
  clearTab()
  leaveFor('/dashboard')
}

/** Signs the browser in to another restaurant of the owner, and opens their home there, in every tab. */
export function useRestaurantSwitch(): [busy: boolean, switchTo: (id: string) => void] {
  const [busy, run] = useTask()
  const report = useErrorToastOrSignIn()
  const cancelQueries = useCancelQueries()
  const switchTo = useCallback(
    (id: string) =>
      void run(async () => {
        cancelQueries()
        try {
          await call(api.ownRestaurants.switchTo, { params: { id } })
        } catch (error) {
          report(error, errorMessage(error, 'The restaurant could not be opened'))
          return
        }
        clearSessionStorage()
        setStored('restaurant-switch', String(Date.now()))
        openHome()
      }),
    [run, cancelQueries, report],
  )
  return [busy, switchTo]
}
