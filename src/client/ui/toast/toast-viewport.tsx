import './crew-toasts.css'
import './toast-place.css'
import { Toast as Base } from '@base-ui/react/toast'
import X from 'lucide-react/icons/x'
import { type JSX, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { t } from '../../lib/texts/translate.ts'
import { IconButton } from '../button.tsx'
import { classNames } from '../class-names.ts'
import { useRootAttribute } from '../use-root-attribute.ts'

export interface ToastOptions {
  title: string
  description?: string
  /** An error: coloured as one and announced at once. */
  destructive?: boolean
  action?: { label: string; onClick: () => void }
  /** Where it is not the usual time. The action is offered until it has passed, by newer toasts too. */
  timeoutMs?: number
}

type ToastViewportProps = {
  /** Shown whenever it changes; null closes it. */
  toast: ToastOptions | null
  /** In milliseconds. */
  timeout: number
}

/** Where the toast is shown, one at a time. */
export function ToastViewport({ toast, timeout }: ToastViewportProps): JSX.Element {
  return (
    <Base.Provider limit={1} timeout={timeout}>
      <Viewport toast={toast} timeout={timeout} />
    </Base.Provider>
  )
}

const toastId = 'toast'

type Offer = Required<Pick<ToastOptions, 'title' | 'action'>> & { until: number }

function Viewport({ toast, timeout }: ToastViewportProps): JSX.Element {
  const { toasts, add, update, close } = Base.useToastManager<ToastData>()
  useRootAttribute('data-toast', toasts.length > 0)
  const isAtLowerEdge = usePressedPlace()
  const [isUpper, setUpper] = useState(false)
  const lastOffer = useRef<Offer>(null)
  const [offerAgain, setOfferAgain] = useState<Offer | null>(null)
  /** Returns how long an earlier offer is kept in it. */
  const show = useCallback(
    ({ title, description, destructive = false, action, ...given }: ToastOptions): number => {
      const { timeoutMs = timeout } = given
      const now = Date.now()
      if (action && given.timeoutMs) lastOffer.current = { title, action, until: now + timeoutMs }
      const offer = action ? null : lastOffer.current
      const leftMs = Math.max(0, (offer?.until ?? 0) - now)
      const kept = leftMs > 0 ? offer : null
      const offered = action ?? kept?.action
      add({
        id: toastId,
        title,
        description,
        type: destructive ? 'destructive' : 'plain',
        data: { offer: kept?.title },
        // Otherwise it would keep that of the toast whose place it takes.
        timeout: Math.max(timeoutMs, leftMs),
        actionProps: offered && {
          children: offered.label,
          onClick() {
            close(toastId)
            offered.onClick()
          },
        },
        onClose() {
          if (!action || action === lastOffer.current?.action) lastOffer.current = null
        },
        // One with an action of its own leaves an earlier offer no room.
        onRemove() {
          setOfferAgain(lastOffer.current)
        },
      })
      return leftMs
    },
    [timeout, add, close],
  )
  const [path] = useLocation()
  // What was pressed is gone with its page, and at the upper edge is the title of the next one.
  useLayoutEffect(() => setUpper(false), [path])
  useLayoutEffect(() => {
    if (!toast) {
      close(toastId)
      return undefined
    }
    setUpper(isAtLowerEdge())
    const keptMs = show(toast)
    if (keptMs === 0) return undefined
    const end = setTimeout(() => update(toastId, { data: undefined, actionProps: undefined }), keptMs)
    return () => clearTimeout(end)
  }, [toast, show, update, close, isAtLowerEdge])
  useLayoutEffect(() => {
    if (!offerAgain) return
    const { until, ...offer } = offerAgain
    const leftMs = until - Date.now()
    if (leftMs > 0) show({ ...offer, timeoutMs: leftMs })
  }, [offerAgain, show])
  return (
    <Base.Portal>
      <Base.Viewport
        ref={measureHeight}
        aria-label={t('Notifications')}
        data-upper={isUpper || undefined}
        className={classNames(
          'toasts fixed inset-x-4 bottom-[calc(var(--bar,0px)+1rem+env(safe-area-inset-bottom))] z-60 sm:inset-s-auto sm:w-96',
          // A dialog's choices are where it stands otherwise.
          'max-lg:in-[:root[data-dialog]]:top-1 max-lg:in-[:root[data-dialog]]:bottom-auto',
          'lg:in-[:root[data-dialog]]:bottom-1 lg:in-[:root[data-dialog]]:inset-s-4 lg:in-[:root[data-dialog]]:inset-e-auto',
        )}
      >
        {toasts.map((each) => (
          <ToastBox key={each.id} toast={each} />
        ))}
      </Base.Viewport>
    </Base.Portal>
  )
}

/** Whether what was pressed last, often to be pressed again after an error, is in the lower half of the screen. */
function usePressedPlace(): () => boolean {
  const pressed = useRef<Element>(null)
  useEffect(() => {
    // Also by a key, and on an iPhone, where a pressed button gets no focus.
    const remember = ({ target }: MouseEvent): void => {
      if (target instanceof Element && !target.closest('.toasts')) pressed.current = target
    }
    document.addEventListener('click', remember, true)
    return () => document.removeEventListener('click', remember, true)
  }, [])
  return useCallback(() => {
    const at = pressed.current?.isConnected ? pressed.current : document.activeElement
    if (!at || at === document.body) return false
    const { top, bottom } = at.getBoundingClientRect()
    return top + bottom > innerHeight && top < innerHeight
  }, [])
}

/** Mostly a toast fits the crew's bar. To tell of each would have the whole page styled anew. */
const usualHeight = 52

/** So that a list whose foot it would cover can end above it. */
function measureHeight(viewport: HTMLElement | null): (() => void) | undefined {
  if (!viewport || typeof ResizeObserver === 'undefined') return undefined
  const { style } = document.documentElement
  const observer = new ResizeObserver(() => {
    const height = viewport.offsetHeight
    if (height > usualHeight) style.setProperty('--toast', `${height}px`)
    else style.removeProperty('--toast')
  })
  observer.observe(viewport)
  return () => {
    observer.disconnect()
    style.removeProperty('--toast')
  }
}

/** `offer`: the title of an earlier toast whose action is still offered. */
type ToastData = { offer: string | undefined }

type ToastBoxProps = { toast: ReturnType<typeof Base.useToastManager<ToastData>>['toasts'][number] }

function ToastBox({ toast }: ToastBoxProps): JSX.Element {
  return (
    <Base.Root
      toast={toast}
      role="group"
      aria-modal={undefined}
      swipeDirection={['down', 'left', 'right']}
      className="translate-x-(--toast-swipe-movement-x) translate-y-(--toast-swipe-movement-y) rounded-ticket bg-text text-ground floating transition-[translate,scale,opacity] duration-250 ease-settle select-none [--focus:var(--ground)] focus-visible:-outline-offset-6 data-ending-style:opacity-0 data-starting-style:translate-y-8 data-starting-style:opacity-0 data-[type=destructive]:bg-late data-[type=destructive]:text-on-action data-[type=destructive]:[--focus:var(--on-action)]"
    >
      <Base.Content key={toast.updateKey} className="toast flex items-center gap-2 py-2 ps-5 pe-2">
        {/* Only an error interrupts. Base UI's own high priority would put its words in the page twice. */}
        <div
          role={toast.type === 'destructive' ? 'alert' : undefined}
          className="min-w-0 flex-1 py-2 wrap-anywhere"
        >
          <Base.Title className="font-sans font-bold" />
          <Base.Description />
          <p className="empty:hidden">{toast.data?.offer}</p>
        </div>
        <Base.Action className="min-h-11 shrink-0 rounded-control px-3 font-bold underline underline-offset-4" />
        <Base.Close aria-hidden={undefined} render={<IconButton label={t('Dismiss')} size={44} />}>
          <X aria-hidden size={20} />
        </Base.Close>
      </Base.Content>
    </Base.Root>
  )
}
