import {
  createContext,
  type JSX,
  type ReactNode,
  use,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import type { PersonRef, ServiceRequest } from '#contract/requests/requests.ts'
import { useLive } from '../../../api/live/use-live.ts'
import { afterPaint } from '../../../lib/hooks/after-paint.ts'
import { askedText } from '../../../lib/texts/asked-text.ts'
import { t } from '../../../lib/texts/translate.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useAlerts } from '../alerts/use-alerts.ts'
import { type MoveAsOwn, useWorkChangeAlerts } from '../alerts/work-changes.ts'
import type { Chime, SoundState } from '../device/chime.ts'
import { type ActOnRequest, type LiveRequests, useRequests } from './use-requests.ts'

type RequestsOnScreen = LiveRequests & {
  /** Keeps a repeated alert from replacing a toast that offers to undo something. */
  holdToasts: (ms: number) => void
  moveAsOwn: MoveAsOwn
}

const RequestsContext = createContext<RequestsOnScreen | null>(null)

export function useRequestsOnScreen(): RequestsOnScreen {
  const requests = use(RequestsContext)
  if (!requests) throw new Error('useRequestsOnScreen needs a <RequestsProvider>')
  return requests
}

type RequestsProviderProps = {
  me: PersonRef
  /** The names of the colleagues `me` covers for. */
  covering: readonly string[]
  chime: Chime
  sound: SoundState
  /** False where the tickets themselves can be looked at, and a toast would cover something. */
  toastsRepeats?: boolean
  children: ReactNode
}

/** The open requests and their alerts. Only what reads them renders again when they change. */
export function RequestsProvider(props: RequestsProviderProps): JSX.Element {
  const { me, covering, chime, sound, toastsRepeats = true, children } = props
  const requests = useRequests(me)
  const { loaded, open, recent } = requests
  const { holdToasts } = useAlerts({
    open: loaded ? open : null,
    recent,
    me: me.id,
    chime,
    sound,
    toasts: toastsRepeats ? 'all' : 'news',
  })
  // After the alerts, so that its toast takes the place of theirs.
  const moveAsOwn = useWorkChangeAlerts(
    useMemo(() => (loaded ? { open, recent, covering } : null), [loaded, open, recent, covering]),
    me.id,
    chime,
  )
  const act = useActionWithUndo(requests.act, open, holdToasts)
  const value = useMemo(
    () => ({ ...requests, act, holdToasts, moveAsOwn }),
    [requests, act, holdToasts, moveAsOwn],
  )
  return <RequestsContext value={value}>{children}</RequestsContext>
}

const undoToastMs = 5000

/** Completing a request shows a toast that offers to undo it. */
function useActionWithUndo(
  act: ActOnRequest,
  open: readonly ServiceRequest[],
  holdToasts: (ms: number) => void,
): ActOnRequest {
  const live = useLive()
  const { toast, dismiss } = useToast()
  const latest = useRef(open)
  useLayoutEffect(() => {
    latest.current = open
  }, [open])
  const completed = useRef({ id: '', title: '' })
  return useCallback(
    (action, request) => {
      act(action, request)
      if (action === 'reopen' && completed.current.id === request.id) dismiss(completed.current.title)
      if (action !== 'complete') return
      const title = completionTitle(request, latest.current)
      completed.current = { id: request.id, title }
      holdToasts(undoToastMs)
      const isLive = live.connection.state === 'live'
      // First the ticket goes.
      afterPaint(() =>
        afterPaint(() =>
          toast({
            title,
            ...(!isLive && { description: t('It will be sent when the connection is back.') }),
            action: { label: t('Undo'), onClick: () => act('reopen', request) },
          }),
        ),
      )
    },
    [act, live, holdToasts, toast, dismiss],
  )
}

/** A table that waits for something else is not complete. */
function completionTitle(request: ServiceRequest, open: readonly ServiceRequest[]): string {
  const { id, tableNumber: table } = request
  return open.some((other) => other.tableNumber === table && other.id !== id)
    ? t('Table {table}: {request} complete', { table, request: askedText(request) })
    : t('Table {table} complete', { table })
}
