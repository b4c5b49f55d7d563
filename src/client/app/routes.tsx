import { type ComponentType, type JSX, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { Redirect, Route, Router, type RouterProps, Switch, useLocation } from 'wouter'
import { type Session, useSession } from '../api/session.ts'
import { ConfirmIdentity } from './confirm-identity.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { useSignInRedirect } from '../features/owner/use-sign-in-redirect.ts'
import { type LazyComponent, lazyPage } from '../lib/lazy.tsx'
import { paymentProvider } from '../lib/page-settings.ts'
import { isLayerOnTop, leaveFor } from '../lib/use-close-on-back.ts'
import { Spinner } from '../ui/spinner.tsx'
import { useToast } from '../ui/toast.tsx'

const Landing = lazyPage(async () => (await import('../features/landing/landing.tsx')).Landing)
const NotFound = lazyPage(async () => (await import('../features/landing/not-found.tsx')).NotFound)
const OwnerHome = lazyPage(async () => (await import('../features/owner/owner-home.tsx')).OwnerHome)
const Subscribe = lazyPage(async () => (await import('../features/owner/subscribe.tsx')).Subscribe)
const GetSetUp = lazyPage(async () => (await import('../features/owner/get-set-up.tsx')).GetSetUp)
const TableCards = lazyPage(async () => (await import('../features/owner/table-cards.tsx')).TableCards)
const AdminPortal = lazyPage(async () => (await import('../features/admin/admin-portal.tsx')).AdminPortal)
const Management = lazyPage(async () => (await import('./management.tsx')).Management)
const Onboarding = lazyPage(async () => (await import('../features/accounts/onboarding.tsx')).Onboarding)

const publicPages: Record<string, ComponentType> = {
  '/customer': ServerPage,
  '/subscribe': Subscribe,
  '/admin-dashboard': AdminPortal,
  '/management-dashboard': Management,
  '/security': lazyPage(async () => (await import('../features/security/security-page.tsx')).SecurityPage),
  '/waiter': lazyPage(async () => (await import('./crew.tsx')).Crew),
  '/demo-login': lazyPage(async () => (await import('../features/accounts/admin-login.tsx')).AdminLogin),
  '/waiter-login': lazyPage(async () => (await import('../features/accounts/crew-login.tsx')).CrewLogin),
  '/restaurant-login': lazyPage(
    async () => (await import('../features/accounts/restaurant-login.tsx')).RestaurantLogin,
  ),
  '/restaurant-signup': lazyPage(
    async () => (await import('../features/accounts/restaurant-signup.tsx')).RestaurantSignup,
  ),
  '/device': lazyPage(async () => (await import('../features/accounts/device-login.tsx')).DeviceLogin),
  '/portal-selection': lazyPage(
    async () => (await import('../features/accounts/portal-selection.tsx')).PortalSelection,
  ),
  '/forgot-password': lazyPage(
    async () => (await import('../features/accounts/forgot-password.tsx')).ForgotPassword,
  ),
  '/reset-password': lazyPage(
    async () => (await import('../features/accounts/reset-password.tsx')).ResetPassword,
  ),
  '/management-login': lazyPage(
    async () => (await import('../features/accounts/management-login.tsx')).ManagementLogin,
  ),
  '/management-setup': lazyPage(
    async () => (await import('../features/accounts/management-setup.tsx')).ManagementSetup,
  ),
}

const signedOutPages: Record<string, ComponentType> = {
  '/': Landing,
  ...publicPages,
  '/dashboard': RedirectToSignIn,
  '/onboarding': RedirectToSignIn,
  '/admin': RedirectToSignIn,
  '/admin/cards': RedirectToSignIn,
}

const signedInPages: Record<string, ComponentType> = {
  '/': OwnerHome,
  ...publicPages,
  '/dashboard': OwnerHome,
  '/onboarding': Onboarding,
  '/admin': GetSetUp,
  '/admin/cards': TableCards,
}

/** Of no use to an owner before the restaurant has a name. */
const pathsNeedingRestaurant = new Set([
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

/** The screens that a path may show, signed in or not. */
function lazyPagesFor(path: string): LazyComponent[] {
  const shown = [signedOutPages[path] ?? Landing, signedInPages[path] ?? NotFound]
  return shown.flatMap((page) => (page === RedirectToSignIn ? [Landing] : isLazy(page) ? [page] : []))
}

const isLazy = (page: ComponentType): page is LazyComponent => 'load' in page

export async function preload(path: string): Promise<void> {
  await Promise.allSettled(lazyPagesFor(path).map((page) => page.load()))
}

/** Pages that the server renders itself: the browser has to leave the app for them. */
const isServerPage = (path: string): boolean => /^\/(api\/|customer(?![^/?#]))/.test(path)

const paymentPage = '/subscribe'

/** Stripe's script may only run in the payment page's own document. */
function needsFullNavigation(to: string): boolean {
  if (paymentProvider() !== 'stripe') return false
  return (to.replace(/[?#].*/, '') === paymentPage) !== (location.pathname === paymentPage)
}

type AppProps = {
  /** A full navigation, away from the app. */
  leave?: (path: string) => void
  reload?: () => void
}

export function App({ leave = leaveFor, reload = reloadPage }: AppProps): JSX.Element {
  const last = useRef('')
  const { carryOver } = useToast()
  /** The current screen stays until the next one has loaded. */
  const aroundNav = useCallback<NonNullable<RouterProps['aroundNav']>>(
    (navigate, to, options) => {
      if (isServerPage(to)) return leave(to)
      if (needsFullNavigation(to)) {
        carryOver()
        return leave(to)
      }
      const go = (): void => {
        if (last.current !== to) return
        navigate(to, isLayerOnTop() ? { ...options, replace: true } : options)
        document.documentElement.scrollTop = 0
      }
      last.current = to
      const path = to.replace(/[?#].*/, '')
      if (lazyPagesFor(path).every((page) => page.isLoaded())) go()
      else void preload(path).then(go)
    },
    [leave, carryOver],
  )
  return (
    <Router aroundNav={aroundNav}>
      <Pages reload={reload} />
      <ConfirmIdentity />
    </Router>
  )
}

const reloadPage = (): void => location.reload()

function Pages({ reload }: { reload: () => void }): JSX.Element {
  const session = useSession()
  const [path] = useLocation()
  const loaded = useInitialLoad(path)
  if (session.state === 'unknown' || !loaded) return <LoadingScreen />
  if (lacksRestaurantName(session) && pathsNeedingRestaurant.has(normalizePath(path)))
    return <Redirect to="/onboarding" replace />
  const pages = session.state === 'signed-in' ? signedInPages : signedOutPages
  return (
    <ErrorBoundary key={path} reload={reload}>
      <Suspense fallback={<LoadingScreen />}>
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

/** Loads the first screen while the session is being looked up. */
function useInitialLoad(path: string): boolean {
  const first = useRef(path)
  const [loaded, setLoaded] = useState(false)
  useEffect(() => void preload(first.current).then(() => setLoaded(true)), [])
  return loaded
}

/** The router ignores case and a trailing slash. */
const normalizePath = (path: string): string => path.toLowerCase().replace(/(?<=.)\/$/, '')

const lacksRestaurantName = (session: Session): boolean =>
  session.state === 'signed-in' && session.user.restaurantName === null

function LoadingScreen(): JSX.Element {
  return (
    <main className="grid min-h-dvh place-items-center">
      <Spinner />
    </main>
  )
}

/** An owner's page while nobody is signed in: the landing page for a moment, then the sign-in. */
function RedirectToSignIn(): JSX.Element {
  const redirectToSignIn = useSignInRedirect()
  useEffect(redirectToSignIn, [redirectToSignIn])
  return <Landing />
}

function ServerPage(): JSX.Element {
  const [path, navigate] = useLocation()
  useEffect(() => {
    navigate(path + location.search, { replace: true })
  }, [navigate, path])
  return <LoadingScreen />
}
