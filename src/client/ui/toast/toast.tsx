import {
  createContext,
  type JSX,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { removeStored, getStored, setStored } from '../../lib/browser/browser-storage.ts'
import { afterPaint } from '../../lib/hooks/after-paint.ts'
import { lazyPart } from '../../lib/hooks/lazy.tsx'
import { t } from '../../lib/texts/translate.ts'
import type { ToastOptions } from './toast-viewport.tsx'

export type { ToastOptions } from './toast-viewport.tsx'

const ToastViewport = lazyPart(async () => (await import('./toast-viewport.tsx')).ToastViewport)

export const loadToasts = ToastViewport.load

interface ToastApi {
  toast: (options: ToastOptions) => void
  /** Closes the toast that is shown, or only one of this title. */
  dismiss: (title?: string) => void
  /** Shows the toast of this page on the next one, too: before a navigation that loads the app anew. */
  carryOver: () => void
}

const ToastContext = createContext<ToastApi | null>(null)

/** `toast` and `dismiss` keep their identity, so effects may depend on them. */
export function useToast(): ToastApi {
  const toasts = use(ToastContext)
  if (!toasts) throw new Error('useToast needs a <ToastContext>')
  return toasts
}

/** Shows what went wrong. The function keeps its identity, so effects may depend on it. */
export function useErrorToast(): (description: string, title?: string) => void {
  const { toast } = useToast()
  return useCallback(
    (description, title = 'Error') =>
      toast({ title: t(title), description: t(description), destructive: true }),
    [toast],
  )
}

/** Shows it once `failed` turns true. */
export function useErrorToastWhen(failed: boolean, description: string): void {
  const showError = useErrorToast()
  useEffect(() => {
    if (failed) showError(description)
  }, [failed, description, showError])
}

/** One toast at a time, for five seconds: a newer one takes the place of the one shown. */
export function ToastProvider({ children }: { children: ReactNode }): JSX.Element {
  const [toast, setToast] = useState<ToastOptions | null>(null)
  const [isLoadDue, setLoadDue] = useState(ToastViewport.isLoaded)
  const api = useToastApi(setToast)
  // Before there is something to say: by then the network may be gone.
  useEffect(() => {
    if (!ToastViewport.isLoaded()) afterPaint(() => setLoadDue(true))
  }, [])
  return (
    <ToastContext value={api}>
      {children}
      {(isLoadDue || toast) && <ToastViewport toast={toast} timeout={toastMs} />}
    </ToastContext>
  )
}

type CarriedToast = Omit<ToastOptions, 'action'> & { at: number }

const toastMs = 5000
const isFresh = ({ at }: CarriedToast): boolean => Date.now() - at < toastMs

function recallCarried(): CarriedToast | null {
  const text = getStored('toast')
  if (text === null) return null
  removeStored('toast')
  const carried: CarriedToast = JSON.parse(text)
  return isFresh(carried) ? carried : null
}

function useToastApi(show: (toast: ToastOptions | null) => void): ToastApi {
  const last = useRef<CarriedToast | null>(null)
  const api = useMemo<ToastApi>(
    () => ({
      toast(options) {
        const { action: _, ...texts } = options
        last.current = { ...texts, at: Date.now() }
        // A copy: the same toast again is a new one.
        show({ ...options })
      },
      dismiss(title = last.current?.title) {
        if (last.current?.title !== title) return
        last.current = null
        show(null)
      },
      carryOver() {
        if (last.current && isFresh(last.current)) setStored('toast', JSON.stringify(last.current))
      },
    }),
    [show],
  )
  useEffect(() => {
    const carried = recallCarried()
    if (carried) api.toast(carried)
  }, [api])
  return api
}
