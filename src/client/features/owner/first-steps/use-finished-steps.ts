import { useEffect } from 'react'
import { api } from '#contract/api.ts'
import { call } from '../../../api/http.ts'

/** Once all is done, the checklist is not shown again, except where it stands. `onStored` keeps its identity. */
export function useFinishedSteps(isFinished: boolean, onStored?: () => unknown): void {
  useEffect(() => {
    // If it fails, the next visit tries again.
    if (isFinished) call(api.firstSteps.finish).then(onStored, () => undefined)
  }, [isFinished, onStored])
}
