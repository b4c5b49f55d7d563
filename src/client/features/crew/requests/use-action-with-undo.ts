import { useCallback } from 'react'
import { useLive } from '../../../api/use-live.ts'
import { useToast } from '../../../ui/toast.tsx'
import { afterPaint } from '../../../lib/after-paint.ts'
import type { ActOnRequest } from './use-requests.ts'

const undoToastMs = 5000

/** Completing says so and offers to take it back. */
export function useActionWithUndo(act: ActOnRequest, holdToasts: (ms: number) => void): ActOnRequest {
  const live = useLive()
  const { toast, dismiss } = useToast()
  return useCallback(
    (action, request) => {
      act(action, request)
      const title = `Table ${request.tableNumber} complete`
      if (action === 'reopen') dismiss(title)
      if (action !== 'complete') return
      holdToasts(undoToastMs)
      const isLive = live.connection.state === 'live'
      afterPaint(() =>
        toast({
          title,
          ...(!isLive && { description: 'It will be sent when the connection is back.' }),
          action: { label: 'Undo', onClick: () => act('reopen', request) },
        }),
      )
    },
    [act, live, holdToasts, toast, dismiss],
  )
}
