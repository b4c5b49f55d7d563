import { useCallback, useEffect, useRef } from 'react'
import type { ClosedRequest, ServiceRequest } from '#contract/requests/requests.ts'
import { getStored } from '../../../lib/browser/browser-storage.ts'
import { t } from '../../../lib/texts/translate.ts'
import { passedTime } from '../../../lib/time/passed-time.ts'
import type { Urgency } from '../../../lib/tunes.ts'
import { type ToastOptions, useToast } from '../../../ui/toast/toast.tsx'
import type { Chime, SoundState } from '../device/chime.ts'
import { urgencyOf, vibrations } from '../requests/urgency.ts'
import {
  type Alert,
  alertText,
  requestsCalling,
  nextAlert,
  initialAlertState,
  msUntilRepeat,
} from './alerts.ts'

type AlertOptions = {
  /** Null before the first list. */
  open: readonly ServiceRequest[] | null
  recent: readonly ClosedRequest[]
  /** The crew member at this screen. */
  me: string | null
  chime: Chime
  sound: SoundState
  /** The wall display shows new requests without toasts; `news`: no toast for what only calls again. */
  toasts?: 'all' | 'news' | 'none'
}

/** Browsers allow it only on a page that has been touched. */
function vibrate(urgency: Urgency): void {
  if ('vibrate' in navigator && navigator.userActivation?.hasBeenActive)
    navigator.vibrate(vibrations[urgency])
}

/** Only on a device where somebody switched it on; others never load its code. */
async function speak(alert: Alert, listOpen: () => readonly ServiceRequest[]): Promise<void> {
  if (getStored('spoken-alerts') === null) return
  const { sayAlert } = await import('../device/spoken-alerts.ts')
  sayAlert(alert, listOpen)
}

/** What calls again is not called new. */
function toastOf({ kind, tables }: Alert): ToastOptions {
  const text = alertText(tables, kind)
  if (kind === 'again') return { title: text }
  return { title: t(kind === 'new' ? 'New Request' : 'Still waiting'), description: text }
}

/** Sound and toast for waiting requests. `holdToasts` keeps a repeat from replacing another toast. */
export function useAlerts({ open, recent, me, chime, sound, toasts = 'all' }: AlertOptions): {
  holdToasts: (ms: number) => void
} {
  const { toast } = useToast()
  const state = useRef(initialAlertState)
  const heldUntil = useRef(0)
  const latest = useRef<readonly ServiceRequest[]>([])

  useEffect(() => {
    if (!open) return undefined
    latest.current = open
    const closed = recent.map(({ request }) => request)
    let timer: ReturnType<typeof setTimeout> | undefined
    const check = (): void => {
      const now = passedTime()
      const { state: next, alert } = nextAlert(state.current, open, me, now, closed)
      state.current = next
      if (alert?.sound) {
        const urgency = urgencyOf(alert, open)
        chime.play(urgency)
        vibrate(urgency)
      }
      if (alert) speak(alert, () => (chime.sound === 'on' ? latest.current : [])).catch(() => undefined)
      if (
        alert &&
        (alert.kind === 'again' ? toasts === 'all' && now >= heldUntil.current : toasts !== 'none')
      )
        toast(toastOf(alert))
      const pause = msUntilRepeat(next, open, me, now)
      timer = pause === null ? undefined : setTimeout(check, pause)
    }
    check()
    return () => clearTimeout(timer)
  }, [open, recent, me, chime, toast, toasts])

  // Requests that arrived while the sound was locked are sounded as soon as it works.
  const wasLocked = useRef(sound === 'locked')
  useEffect(() => {
    if (wasLocked.current && sound === 'on' && open && requestsCalling(open, me).length > 0) chime.play('new')
    wasLocked.current = sound === 'locked'
  }, [sound, open, me, chime])

  const holdToasts = useCallback((ms: number) => {
    heldUntil.current = passedTime() + ms
  }, [])
  return { holdToasts }
}
