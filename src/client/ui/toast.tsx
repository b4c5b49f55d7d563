import { Toast as Base } from '@base-ui/react/toast'
import X from 'lucide-react/icons/x'
import { createContext, type JSX, type ReactNode, use, useCallback, useEffect, useMemo, useRef } from 'react'
import { removeStored, getStored, setStored } from '../lib/browser-storage.ts'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'

export interface ToastOptions {
  title: string
  description?: string
  /** An error: coloured as one and announced at once. */
  destructive?: boolean
  action?: { label: string; onClick: () => void }
}

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
  if (!toasts) throw new Error('useToast needs a ToastProvider above it.')
  return toasts
}

/** Shows what went wrong. The function keeps its identity, so effects may depend on it. */
export function useErrorToast(): (description: string, title?: string) => void {
  const { toast } = useToast()
  return useCallback(
    (description, title = 'Error') => toast({ title, description, destructive: true }),
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
  return (
    <Base.Provider limit={1} timeout={toastMs}>
      <ToastScope>{children}</ToastScope>
    </Base.Provider>
  )
}

const toastId = 'toast'

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

function ToastScope({ children }: { children: ReactNode }): JSX.Element {
  const { toasts } = Base.useToastManager()
  const api = useToastApi()
  return (
    <ToastContext value={api}>
      {children}
      <Base.Portal>
        <Base.Viewport
          className={classNames(
            'fixed inset-x-4 bottom-[calc(var(--bar,0px)+1rem+env(safe-area-inset-bottom))] z-60 sm:inset-s-auto sm:w-96',
            // Keeps the lower edge readable.
            'in-[:root[data-lower-edge]]:mb-8',
            // A drawer's choices are where it stands otherwise.
            'max-lg:in-[:root[data-drawer]]:top-4 max-lg:in-[:root[data-drawer]]:bottom-auto',
            'lg:in-[:root[data-drawer]]:inset-s-4 lg:in-[:root[data-drawer]]:inset-e-auto',
          )}
        >
          {toasts.map((toast) => (
            <ToastBox key={toast.id} toast={toast} />
          ))}
        </Base.Viewport>
      </Base.Portal>
    </ToastContext>
  )
}

function useToastApi(): ToastApi {
  const { add, close } = Base.useToastManager()
  const last = useRef<CarriedToast | null>(null)
  const api = useMemo<ToastApi>(
    () => ({
      toast({ title, description, destructive = false, action }) {
        last.current = {
          title,
          ...(description !== undefined && { description }),
          destructive,
          at: Date.now(),
        }
        add({
          id: toastId,
          title,
          description,
          type: destructive ? 'destructive' : 'plain',
          actionProps: action && {
            children: action.label,
            onClick() {
              close(toastId)
              action.onClick()
            },
          },
        })
      },
      dismiss(title = last.current?.title) {
        if (last.current?.title !== title) return
        last.current = null
        close(toastId)
      },
      carryOver() {
        if (last.current && isFresh(last.current)) setStored('toast', JSON.stringify(last.current))
      },
    }),
    [add, close],
  )
  useEffect(() => {
    const carried = recallCarried()
    if (carried) api.toast(carried)
  }, [api])
  return api
}

type ToastBoxProps = { toast: ReturnType<typeof Base.useToastManager>['toasts'][number] }

function ToastBox({ toast }: ToastBoxProps): JSX.Element {
  return (
    <Base.Root
      toast={toast}
      role="group"
      aria-modal={undefined}
      swipeDirection={['down', 'left', 'right']}
      className="translate-x-(--toast-swipe-movement-x) translate-y-(--toast-swipe-movement-y) rounded-ticket bg-text text-ground shadow-lg transition-[translate,opacity] duration-250 ease-settle select-none [--focus:var(--ground)] focus-visible:-outline-offset-6 data-ending-style:opacity-0 data-starting-style:translate-y-8 data-starting-style:opacity-0 data-[type=destructive]:bg-late data-[type=destructive]:text-on-action data-[type=destructive]:[--focus:var(--on-action)]"
    >
      <Base.Content key={toast.updateKey} className="flex items-center gap-2 py-2 ps-5 pe-2">
        {/* Only an error interrupts. Base UI's own high priority would put its words in the page twice. */}
        <div
          role={toast.type === 'destructive' ? 'alert' : undefined}
          className="min-w-0 flex-1 py-2 wrap-anywhere"
        >
          <Base.Title className="font-sans font-bold" />
          <Base.Description />
        </div>
        <Base.Action className="min-h-11 shrink-0 rounded-control px-3 font-bold underline underline-offset-4" />
        <Base.Close aria-hidden={undefined} render={<IconButton label="Dismiss" size={44} />}>
          <X aria-hidden size={20} />
        </Base.Close>
      </Base.Content>
    </Base.Root>
  )
}
