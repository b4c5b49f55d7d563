import { Dialog as Base } from '@base-ui/react/dialog'
import X from 'lucide-react/icons/x'
import {
  type JSX,
  memo,
  type ReactElement,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { afterPaint } from '../../lib/hooks/after-paint.ts'
import { useCloseOnBack } from '../../lib/hooks/use-close-on-back.ts'
import { t } from '../../lib/texts/translate.ts'
import { IconButton } from '../button.tsx'
import { classNames } from '../class-names.ts'
import { useRootAttribute } from '../use-root-attribute.ts'

export interface DialogProps {
  title: ReactNode
  description?: ReactNode
  children?: ReactNode
  /** Buttons at the foot, which stays in view while the middle scrolls. */
  actions?: ReactNode
  open: boolean
  onOpenChange: (open: boolean) => void
  /** The button that opens it. */
  trigger?: ReactElement
  /** On the crew's screen: the tap that opens or closes it is painted first. */
  tapFirst?: boolean
  /** Where the focus goes when it closes, if not back to where it was. */
  finalFocus?: () => HTMLElement | null
}

/** Each leaves room for a toast at the edge where it then stands. */
const placements = {
  centre:
    'm-auto w-[min(32rem,92vw)] max-h-[calc(100dvh-2rem)] rounded-primary ' +
    'in-[:root[data-toast]]:max-h-[calc(100dvh-2*var(--toast,3.25rem)-1rem)] ' +
    'data-starting-style:scale-98 data-ending-style:scale-98',
  edge:
    'mt-auto max-h-[min(85dvh,100dvh-var(--toast,3.25rem)-0.5rem)] w-full rounded-t-primary pb-[env(safe-area-inset-bottom)] ' +
    'data-starting-style:translate-y-8 data-ending-style:translate-y-8 ' +
    'lg:mt-0 lg:ms-auto lg:h-dvh lg:max-h-none lg:w-md lg:rounded-none lg:border-s',
}

export function Modal(props: DialogProps & { place: keyof typeof placements }): JSX.Element {
  const {
    title,
    description,
    children,
    actions,
    open,
    onOpenChange,
    trigger,
    finalFocus,
    place,
    tapFirst = false,
  } = props
  const isShown = useShown(open, tapFirst)
  useCloseOnBack(open, () => onOpenChange(false))
  useRootAttribute('data-dialog', isShown)
  const isOpen = useRef(open)
  useLayoutEffect(() => {
    isOpen.current = open
  }, [open])
  const popup = useRef<HTMLDivElement>(null)
  /** Looks where the focus is only when whatever opens as this closes has taken it: the dialog that asks for a PIN. */
  const returnFocus = (): false | null => {
    const target = finalFocus?.() ?? null
    const closed = popup.current
    if (target === null && !hasGoneOn(closed)) return null
    queueMicrotask(() => {
      if (!hasGoneOn(closed)) target?.focus({ preventScroll: true })
    })
    return false
  }
  return (
    <Kept isKept={isShown && !open}>
      <Base.Root open={isShown} onOpenChange={(next) => onOpenChange(next)}>
        {trigger && <Base.Trigger render={trigger} />}
        <Base.Portal>
          {/* In the layer of dialogs, so that it covers the one that this one is opened over. One that closes must not
              swallow taps on what is below. */}
          <Base.Backdrop
            forceRender
            className="fixed inset-0 z-50 min-h-dvh bg-veil transition-opacity duration-250 data-closed:pointer-events-none data-ending-style:opacity-0 data-starting-style:opacity-0"
          />
          <Base.Viewport
            className="fixed inset-0 z-50 flex"
            onClickCapture={(event) => {
              // The second tap of two on what closes it comes before it is seen to close.
              if (isOpen.current) return
              event.preventDefault()
              event.stopPropagation()
            }}
          >
            <Base.Popup
              ref={popup}
              {...(finalFocus && { finalFocus: returnFocus })}
              className={classNames(
                'flex flex-col overflow-y-auto border-rule bg-plate text-text outline-none',
                'transition-[translate,scale,opacity] duration-250 ease-settle',
                'data-starting-style:opacity-0 data-ending-style:opacity-0',
                placements[place],
              )}
            >
              {/* Where the title’s longest word does not fit beside it, the button stands above. */}
              <div className="flex flex-wrap-reverse items-end justify-end ps-[min(1.5rem,6vw)] pe-[min(.75rem,3vw)] pt-3 pb-1">
                <Base.Title className="min-w-0 flex-1 basis-[min-content] py-3 text-xl wrap-break-word">
                  {title}
                </Base.Title>
                <Base.Close render={<IconButton label={t('Close')} />}>
                  <X aria-hidden />
                </Base.Close>
              </div>
              <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto *:shrink-0 [@media(height<30rem)]:flex-none overscroll-contain px-[min(1.5rem,6vw)] pt-1 pb-6">
                {description && <Base.Description className="text-text-mute">{description}</Base.Description>}
                {children}
              </div>
              {actions && (
                <div className="flex flex-wrap justify-end gap-3 border-t border-rule px-[min(1.5rem,6vw)] py-4">
                  {actions}
                </div>
              )}
            </Base.Popup>
          </Base.Viewport>
        </Base.Portal>
      </Base.Root>
    </Kept>
  )
}

/** The tap that closes a dialog renders nothing of it before it is painted. */
const Kept = memo(
  ({ children }: { isKept: boolean; children: ReactNode }): ReactNode => children,
  (_, { isKept }) => isKept,
)

function useShown(open: boolean, tapFirst: boolean): boolean {
  const [painted, setPainted] = useState(false)
  useEffect(() => {
    if (tapFirst) afterPaint(() => setPainted(open))
  }, [open, tapFirst])
  return tapFirst ? painted : open
}

/** Whoever is already elsewhere while a dialog closes, at a ticket or in the next dialog, stays there. */
const hasGoneOn = (closed: Element | null): boolean =>
  document.activeElement !== document.body && closed?.contains(document.activeElement) === false

/** In the middle of the screen, over everything else. */
export function Dialog(props: DialogProps): JSX.Element {
  return <Modal {...props} place="centre" />
}
