import { Toast as Base } from '@base-ui/react/toast'
import X from 'lucide-react/icons/x'
import { createContext, type JSX, type ReactNode, use, useMemo } from 'react'
import { IconButton } from './button.tsx'

export interface ToastOptions {
  title: string
  description?: string
  /** An error: coloured as one and announced at once. */
  destructive?: boolean
  action?: { label: string; onClick: () => void }
}

interface Toasts {
  toast: (options: ToastOptions) => void
  dismiss: () => void
}

const ToastContext = createContext<Toasts | null>(null)

/** `toast` and `dismiss` keep their identity, so effects may depend on them. */
export function useToast(): Toasts {
  const toasts = use(ToastContext)
  if (!toasts) throw new Error('useToast needs a ToastProvider above it.')
  return toasts
}

/** One toast at a time, for five seconds: a newer one takes the place of the one shown. */
export function ToastProvider({ children }: { children: ReactNode }): JSX.Element {
  return (
    <Base.Provider limit={1} timeout={5000}>
      <ToastScope>{children}</ToastScope>
    </Base.Provider>
  )
}

const onlyToast = 'toast'

function ToastScope({ children }: { children: ReactNode }): JSX.Element {
  const { toasts, add, close } = Base.useToastManager()
  const value = useMemo<Toasts>(
    () => ({
      toast({ title, description, destructive = false, action }) {
        add({
          id: onlyToast,
          title,
          description,
          type: destructive ? 'destructive' : 'plain',
          actionProps: action && {
            children: action.label,
            onClick() {
              close(onlyToast)
              action.onClick()
            },
          },
        })
      },
      dismiss: () => close(onlyToast),
    }),
    [add, close],
  )
  return (
    <ToastContext value={value}>
      {children}
      <Base.Portal>
        <Base.Viewport className="fixed inset-x-4 bottom-[calc(var(--bar,0px)+1rem+env(safe-area-inset-bottom))] z-60 sm:inset-s-auto sm:w-96">
          {toasts.map((toast) => (
            <Base.Root
              key={toast.id}
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
          ))}
        </Base.Viewport>
      </Base.Portal>
    </ToastContext>
  )
}
