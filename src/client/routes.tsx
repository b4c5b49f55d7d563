import { type ComponentType, type JSX, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { Redirect, Route, Router, type RouterProps, Switch, useLocation } from 'wouter'
import { type Session, useSession } from './api/session.ts'
import { ConfirmIdentity } from './confirm-identity.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { useLoggedOut } from './features/owner/use-logged-out.ts'
import { type LazyPage, lazyPage } from './lazy-page.tsx'
import { paymentsBy } from './lib/payments-by.ts'
import { isOverPage } from './lib/use-back-closes.ts'
import { Spinner } from './ui/spinner.tsx'
import { useToast } from './ui/toast.tsx'

const Landing = lazyPage(() => import('./features/landing/landing.tsx'), 'Landing')
const NotFound = lazyPage(() => import('./features/landing/not-found.tsx'), 'NotFound')
const OwnerHome = lazyPage(() => import('./features/owner/owner-home.tsx'), 'OwnerHome')
const Subscribe = lazyPage(() => import('./features/owner/subscribe.tsx'), 'Subscribe')
const GetSetUp = lazyPage(() => import('./features/owner/get-set-up.tsx'), 'GetSetUp')
const TableCards = lazyPage(() => import('./features/owner/table-cards.tsx'), 'TableCards')
const AdminPortal = lazyPage(() => import('./features/admin/admin-portal.tsx'), 'AdminPortal')
const Management = lazyPage(() => import('./management.tsx'), 'Management')
const Onboarding = lazyPage(() => import('./features/accounts/onboarding.tsx'), 'Onboarding')

const everybody: Record<string, ComponentType> = {
  '/customer': ServerPage,
  '/subscribe': Subscribe,
  '/admin-dashboard': AdminPortal,
  '/management-dashboard': Management,
  '/security': lazyPage(() => import('./features/security/security-page.tsx'), 'SecurityPage'),
  '/waiter': lazyPage(() => import('./crew.tsx'), 'Crew'),
  '/demo-login': lazyPage(() => import('./features/accounts/admin-login.tsx'), 'AdminLogin'),
  '/waiter-login': lazyPage(() => import('./features/accounts/crew-login.tsx'), 'CrewLogin'),
  '/restaurant-login': lazyPage(() => import('./features/accounts/restaurant-login.tsx'), 'RestaurantLogin'),
  '/restaurant-signup': lazyPage(
    () => import('./features/accounts/restaurant-signup.tsx'),
    'RestaurantSignup',
  ),
  '/device': lazyPage(() => import('./features/accounts/device-login.tsx'), 'DeviceLogin'),
  '/portal-selection': lazyPage(() => import('./features/accounts/portal-selection.tsx'), 'PortalSelection'),
  '/forgot-password': lazyPage(() => import('./features/accounts/forgot-password.tsx'), 'ForgotPassword'),
  '/reset-password': lazyPage(() => import('./features/accounts/reset-password.tsx'), 'ResetPassword'),
  '/management-login': lazyPage(() => import('./features/accounts/management-login.tsx'), 'ManagementLogin'),
  '/management-setup': lazyPage(() => import('./features/accounts/management-setup.tsx'), 'ManagementSetup'),
}

const signedOut: Record<string, ComponentType> = {
  '/': Landing,
  ...everybody,
  '/dashboard': LoggedOut,
  '/onboarding': LoggedOut,
  '/admin': LoggedOut,
  '/admin/cards': LoggedOut,
}

const signedIn: Record<string, ComponentType> = {
  '/': OwnerHome,
  ...everybody,
  '/dashboard': OwnerHome,
  '/onboarding': Onboarding,
  '/admin': GetSetUp,
  '/admin/cards': TableCards,
}

/** What an owner has no use for before the restaurant has a name. */
const needsRestaurant = new Set([
  '/',
  '/dashboard',
  '/admin',
  '/admin/cards',
  '/subscribe',
  '/admin-dashboard',
  '/management-dashboard',
  '/security',
  '/portal-selection',
])

/** The files of the screens that a path may show, whoever is signed in. */
function filesOf(path: string): LazyPage[] {
  const shown = [signedOut[path] ?? Landing, signedIn[path] ?? NotFound]
  return shown.flatMap((page) => (page === LoggedOut ? [Landing] : isLazy(page) ? [page] : []))
}

const isLazy = (page: ComponentType): page is LazyPage => 'load' in page

export async function preload(path: string): Promise<void> {
  await Promise.allSettled(filesOf(path).map((page) => page.load()))
}

/** Pages that our server gives itself: a browser has to leave the app for them. */
const isServerPage = (path: string): boolean => /^\/(api\/|customer(?![^/?#]))/.test(path)

const paymentPage = '/subscribe'

/** Where Stripe takes the payments, its script may run on that page's own document and on no other. */
function isOtherDocument(to: string): boolean {
  if (paymentsBy() !== 'stripe') return false
  return (to.replace(/[?#].*/, '') === paymentPage) !== (location.pathname === paymentPage)
}

type AppProps = {
  /** A full navigation, away from the app. */
  leave?: (path: string) => void
  reload?: () => void
}

export function App({ leave = goTo, reload = startAgain }: AppProps): JSX.Element {
  const last = useRef('')
  const { carry } = useToast()
  /** The former screen stays until the next one is there. */
  const aroundNav = useCallback<NonNullable<RouterProps['aroundNav']>>(
    (navigate, to, options) => {
      if (isServerPage(to)) return leave(to)
      if (isOtherDocument(to)) {
        carry()
        return leave(to)
      }
      const go = (): void => {
        if (last.current !== to) return
        navigate(to, isOverPage() ? { ...options, replace: true } : options)
        document.documentElement.scrollTop = 0
      }
      last.current = to
      const path = to.replace(/[?#].*/, '')
      if (filesOf(path).every((page) => page.isLoaded())) go()
      else void preload(path).then(go)
    },
    [leave, carry],
  )
  return (
    <Router aroundNav={aroundNav}>
      <Screens reload={reload} />
      <ConfirmIdentity />
    </Router>
  )
}

const goTo = (path: string): void => location.assign(path)
const startAgain = (): void => location.reload()

function Screens({ reload }: { reload: () => void }): JSX.Element {
  const session = useSession()
  const [path] = useLocation()
  const loaded = useFirstLoad(path)
  if (session.state === 'unknown' || !loaded) return <Waiting />
  if (isNameless(session) && needsRestaurant.has(asRouted(path))) return <Redirect to="/onboarding" replace />
  const pages = session.state === 'signed-in' ? signedIn : signedOut
  return (
    <ErrorBoundary key={path} reload={reload}>
      <Suspense fallback={<Waiting />}>
        <Switch>
          {Object.entries(pages).map(([route, component]) => (
            <Route key={route} path={route} component={component} />
          ))}
          <Route component={session.state === 'signed-in' ? NotFound : Landing} />
        </Switch>
      </Suspense>
    </ErrorBoundary>
  )
}

/** Fetches the first screen's file while it is found out who is signed in. */
function useFirstLoad(path: string): boolean {
  const first = useRef(path)
  const [loaded, setLoaded] = useState(false)
  useEffect(() => void preload(first.current).then(() => setLoaded(true)), [])
  return loaded
}

/** As the router reads a path: in any case, with or without a slash at its end. */
const asRouted = (path: string): string => path.toLowerCase().replace(/(?<=.)\/$/, '')

const isNameless = (session: Session): boolean =>
  session.state === 'signed-in' && session.user.restaurantName === null

function Waiting(): JSX.Element {
  return (
    <main className="grid min-h-dvh place-items-center">
      <Spinner />
    </main>
  )
}

/** An owner's page without an owner: the landing page for a moment, then the sign-in. */
function LoggedOut(): JSX.Element {
  const loggedOut = useLoggedOut()
  useEffect(loggedOut, [loggedOut])
  return <Landing />
}

function ServerPage(): JSX.Element {
  const [path, navigate] = useLocation()
  useEffect(() => {
    navigate(path + location.search, { replace: true })
  }, [navigate, path])
  return <Waiting />
}
