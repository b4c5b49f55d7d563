import {
  createContext,
  type JSX,
  type ReactNode,
  type RefObject,
  use,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react'
import { t } from '../../lib/texts/translate.ts'
import { classNames } from '../class-names.ts'
import { useRootAttribute } from '../use-root-attribute.ts'

const widths = { narrow: 'max-w-md', medium: 'max-w-3xl', wide: 'max-w-7xl' }

interface PageProps {
  /** Dark for the crew, light for owner, management and admin. */
  theme: 'dark' | 'light'
  title: string
  /** Null if the content sets the document title. */
  documentTitle?: null
  subtitle?: ReactNode
  /** Before the title, such as a link back. */
  back?: ReactNode
  /** At the end of the header. */
  actions?: ReactNode
  width?: keyof typeof widths
  /** The way back above the title on every screen, and room over both: for a page that is one form. */
  stacked?: boolean
  /** Beside everything else on a wide screen: the navigation of a portal. */
  side?: ReactNode
  /** Stays visible at the top of the content, such as a warning. */
  banner?: ReactNode
  children: ReactNode
}

/** What every page shows above its header: the way to the other portals, from the app. */
export const PageNavigation = createContext<ReactNode>(null)

/** What every page says before anything else, from the app: that the restaurant is deleted. */
export const PageNotice = createContext<ReactNode>(null)

let hasOpenedBefore = false

/** What every screen does, even one with its own frame; the ref is for its `h1`. */
export function usePageFrame(theme: PageProps['theme']): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)

  useLayoutEffect(() => {
    document.documentElement.dataset['theme'] = theme
  }, [theme])

  // The pressed link is gone after a change of screen, so the new title takes the focus.
  useEffect(() => {
    if (hasOpenedBefore && document.activeElement === document.body)
      heading.current?.focus({ preventScroll: true })
    hasOpenedBefore = true
  }, [])

  return heading
}

/** The frame of a staff screen. It sets the theme of the whole document, so dialogs and toasts follow. */
export function Page(props: PageProps): JSX.Element {
  const { theme, title, documentTitle, subtitle, back, actions, side, banner, children } = props
  const { width = 'wide', stacked = false } = props
  const heading = usePageFrame(theme)
  const navigation = use(PageNavigation)
  const notice = use(PageNotice)
  const content = useRef<HTMLElement>(null)
  useRootAttribute('data-banner', Boolean(banner))

  const frame = classNames('mx-auto w-full px-edge sm:px-6', widths[width])
  return (
    <div
      className={classNames(
        'flex min-h-dvh flex-col bg-ground text-text',
        Boolean(side) && 'lg:grid lg:grid-cols-[min(15.5rem,25vw)_minmax(0,1fr)]',
      )}
    >
      {documentTitle !== null && <title>{`${title} · Tableside`}</title>}
      <SkipLink target={content} />
      {side}
      <div className="flex min-w-0 flex-1 flex-col">
        {navigation}
        <header
          className={classNames(
            frame,
            'flex flex-wrap items-center gap-x-4 gap-y-2 pt-4 pb-3',
            stacked ? 'sm:pt-[9dvh]' : 'sm:pt-6',
          )}
        >
          {back && <div className="-ms-edge">{back}</div>}
          <PageTitle hasBack={Boolean(back)} {...{ heading, title, subtitle, stacked }} />
          {actions && (
            <div className="ms-auto flex flex-wrap items-center gap-x-1 gap-y-2 max-[22.5rem]:*:px-2 sm:gap-x-2">
              {actions}
            </div>
          )}
        </header>
        <main
          ref={content}
          id="content"
          tabIndex={-1}
          className={classNames(frame, 'flex flex-1 flex-col gap-6 pt-2 pb-10 outline-none')}
        >
          {banner && (
            <p className="sticky top-2 z-10 rounded-control bg-text px-4 py-2 text-center font-bold text-ground">
              {banner}
            </p>
          )}
          {notice}
          {children}
        </main>
      </div>
    </div>
  )
}

export function SkipLink({ target }: { target: RefObject<HTMLElement | null> }): JSX.Element {
  return (
    <a
      href="#content"
      onClick={(event) => {
        event.preventDefault()
        target.current?.focus()
      }}
      className="sr-only rounded-control bg-text font-semibold text-ground focus:not-sr-only focus:absolute focus:inset-s-4 focus:top-4 focus:p-4 focus:z-30"
    >
      {t('Skip to content')}
    </a>
  )
}

type PageTitleProps = Required<Pick<PageProps, 'title' | 'stacked'>> & {
  heading: RefObject<HTMLHeadingElement | null>
  subtitle: ReactNode
  hasBack: boolean
}

function PageTitle({ heading, title, subtitle, stacked, hasBack }: PageTitleProps): JSX.Element {
  return (
    <div
      className={classNames(
        hasBack ? 'min-w-0 order-last basis-full' : 'max-w-full flex-1 basis-0',
        hasBack && !stacked && 'sm:order-0 sm:flex-1',
      )}
    >
      <h1
        ref={heading}
        tabIndex={-1}
        className={classNames(
          'max-w-full text-2xl wrap-break-word outline-none',
          // However long the subtitle, the title keeps its line beside the actions, or gets its own.
          !hasBack && 'w-max',
        )}
      >
        {title}
      </h1>
      {/* Never wider than the title, so the actions stay beside it. */}
      {subtitle && <div className="w-0 min-w-full wrap-anywhere text-text-mute">{subtitle}</div>}
    </div>
  )
}
