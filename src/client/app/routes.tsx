import { type ComponentType, type JSX, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { Redirect, Route, Router, type RouterProps, Switch, useLocation } from 'wouter'
import { type Session, useSession } from '../api/session.ts'
import { isKeptPage, paymentProvider } from '../lib/browser/page-settings.ts'
import { newEntry, restoreScrollOnBack } from '../lib/browser/scroll-on-back.ts'
import { type LazyComponent, lazyPage } from '../lib/hooks/lazy.tsx'
import { afterGoingBack, isLayerOnTop, leaveFor } from '../lib/hooks/use-close-on-back.ts'
import { isInOtherLanguage } from '../lib/texts/language.ts'
import { Spinner } from '../ui/page/spinner.tsx'
import { useToast } from '../ui/toast/toast.tsx'
import { ConfirmIdentity } from './confirm-identity.tsx'
import { ErrorBoundary } from './error-boundary.tsx'

const Landing = lazyPage(async () => (await import('./landing-page.tsx')).LandingPage)
const NotFound = lazyPage(async () => (await import('../features/landing/not-found.tsx')).NotFound)
const OwnerHome = lazyPage(async () => (await import('./owners/first-hour.tsx')).HomeWithFirstSteps)
const Subscribe = lazyPage(
  async () => (await import('../features/owner/subscription/subscribe.tsx')).Subscribe,
)
const Restaurants = lazyPage(async () => (await import('./owners/first-hour.tsx')).Restaurants)
const GetSetUp = lazyPage(async () => (await import('../features/owner/get-set-up.tsx')).GetSetUp)
const TableCards = lazyPage(async () => (await import('../features/owner/cards/table-cards.tsx')).TableCards)
const WalkFloor = lazyPage(async () => (await import('../features/owner/walk/walk-floor.tsx')).WalkFloor)
const FirstRequest = lazyPage(async () => (await import('./owners/first-request.tsx')).FirstRequest)
const Admin = lazyPage(async () => (await import('./admin.tsx')).loadAdmin())
const Management = lazyPage(async () => (await import('./management.tsx')).Management)
const RedirectToSignIn = lazyPage(async () => (await import('./redirect-to-sign-in.tsx')).RedirectToSignIn)
const Onboarding = lazyPage(async () => (await import('../features/accounts/onboarding.tsx')).Onboarding)
const PortalFrame = lazyPage(async () => (await import('./owners/portal-frame.tsx')).PortalFrame)

const publicPages: Record<string, ComponentType> = {
  '/customer': ServerPage,
  '/subscribe': Subscribe,
  '/admin-dashboard': Admin,
  '/management-dashboard': Management,
  '/security': lazyPage(async () => (await import('../features/security/security-page.tsx')).SecurityPage),
  '/waiter': lazyPage(async () => (await import('./crew.tsx')).loadCrew()),
  '/demo-login': lazyPage(
    async () => (await import('../features/accounts/sign-in/admin-login.tsx')).AdminLogin,
  ),
  '/waiter-login': lazyPage(
    async () => (await import('../features/accounts/sign-in/crew-login.tsx')).CrewLogin,
  ),
  '/restaurant-login': lazyPage(
    async () => (await import('../features/accounts/sign-in/restaurant-login.tsx')).RestaurantLogin,
  ),
  '/restaurant-signup': lazyPage(
    async () => (await import('../features/accounts/restaurant-signup.tsx')).RestaurantSignup,
  ),
  '/device': lazyPage(
    async () => (await import('../features/accounts/sign-in/device-login.tsx')).DeviceLogin,
  ),
  '/portal-selection': lazyPage(async () => (await import('./owners/first-hour.tsx')).PortalsWithFirstSteps),
  '/forgot-password': lazyPage(
    async () => (await import('../features/accounts/forgot-password.tsx')).ForgotPassword,
  ),
  '/reset-password': lazyPage(
    async () => (await import('../features/accounts/reset-password.tsx')).ResetPassword,
  ),
  '/management-login': lazyPage(
    async () => (await import('../features/accounts/sign-in/management-login.tsx')).ManagementLogin,
  ),
  '/management-setup': lazyPage(
    async () => (await import('../features/accounts/management-setup.tsx')).ManagementSetup,
  ),
}

const ownerPages: Record<string, ComponentType> = {
  '/dashboard': OwnerHome,
  '/restaurants': Restaurants,
  '/admin': GetSetUp,
  '/admin/cards': TableCards,
  '/admin/cards/walk': WalkFloor,
  '/admin/try': FirstRequest,
}

/** For tests. */
export const ownerPaths = Object.keys(ownerPages)

const signedInPages: Record<string, ComponentType> = {
  '/': OwnerHome,
  ...publicPages,
  ...ownerPages,
  '/onboarding': Onboarding,
}

const signedOutPages: Record<string, ComponentType> = {
  ...signedInPages,
  ...Object.fromEntries(['/onboarding', ...Object.keys(ownerPages)].map((path) => [path, RedirectToSignIn])),
  '/': Landing,
}

/** Pages that are useless to an owner before the restaurant has a name. */
const pathsNeedingRestaurant = new Set([
  '/',
  ...Object.keys(ownerPages),
  '/subscribe',
  '/admin-dashboard',
  '/management-dashboard',
  '/security',
  '/portal-selection',
])

/** These have addresses of their own below their path, which they tell apart themselves. */
const portals = ['/management-dashboard', '/admin-dashboard']

/** The path of the page that shows an address. */
const pagePathOf = (path: string): string => portals.find((portal) => path.startsWith(`${portal}/`)) ?? path

/** The same screen for everybody who is signed in. Most of them are not owners. */
const crewPath = '/waiter'

/** The screens that a path may show, signed in or not. */
function lazyPagesFor(path: string): Pick<LazyComponent, 'isLoaded' | 'load'>[] {
  const page = pagePathOf(path)
  const shown = [signedOutPages[page] ?? Landing, signedInPages[page] ?? NotFound].filter(isLazy)
  return hasFrame(page) ? [...shown, PortalFrame] : shown
}

/** Visitors of the landing page need none. */
const hasFrame = (page: string, isOwner = false): boolean =>
  pathsNeedingRestaurant.has(page) && (isOwner || page !== '/')

const isLazy = (page: ComponentType): page is LazyComponent => 'load' in page

export async function preload(path: string): Promise<void> {
  await Promise.allSettled(lazyPagesFor(path).map((page) => page.load()))
}

/** Pages that the server renders itself: the browser has to leave the app for them. */
const isServerPage = (path: string): boolean => /^\/(api\/|customer(?![^/?#]))/.test(path)

const paymentPage = '/subscribe'

/** Stripe's script may only run in the payment page's own document. */
function needsFullNavigation(to: string): boolean {
  const path = to.replace(/[?#].*/, '')
  if (isInOtherLanguage(path)) return true
  return paymentProvider() === 'stripe' && (path === paymentPage) !== (location.pathname === paymentPage)
}

type AppProps = {
  /** A full navigation, away from the app. */
  leave?: (path: string, options?: { replace?: boolean }) => void
  reload?: () => void
}

export function App({ leave = leaveFor, reload = reloadPage }: AppProps): JSX.Element {
  const { carryOver } = useToast()
  /** Where the link that was followed last leads, until it has led there. */
  const following = useRef<string | null>(null)
  /** The current screen stays until the next one has loaded. */
  const aroundNav = useCallback<NonNullable<RouterProps['aroundNav']>>(
    (navigate, to, options) => {
      if (isServerPage(to)) return leave(to, options)
      if (needsFullNavigation(to)) {
        carryOver()
        return leave(to)
      }
      const from = location.pathname
      const go = (): void => {
        // Meanwhile another link, the same one twice, or Back may have been pressed.
        if (following.current !== to || location.pathname !== from) return
        following.current = null
        const isSame = to === location.pathname + location.search + location.hash
        const replace = isSame || isLayerOnTop() || options?.replace
        navigate(to, { ...options, ...(replace && { replace }), state: newEntry() })
        document.documentElement.scrollTop = 0
      }
      following.current = to
      const path = to.replace(/[?#].*/, '')
      if (lazyPagesFor(path).every((page) => page.isLoaded())) afterGoingBack(go)
      else void preload(path).then(() => afterGoingBack(go))
    },
    [leave, carryOver],
  )
  useEffect(restoreScrollOnBack, [])
  return (
    <Router aroundNav={aroundNav}>
      <Pages reload={reload} />
      <ConfirmIdentity />
    </Router>
  )
}

const reloadPage = (): void => location.reload()

function Pages({ reload }: { reload: () => void }): JSX.Element {
  const [path] = useLocation()
  const isOwnersMatter = normalizePath(path) !== crewPath
  const session = useSession({ isAsked: isOwnersMatter })
  const loaded = useInitialLoad(path)
  const isUnknown = isOwnersMatter && session.state === 'unknown'
  // Without the server nobody says who is signed in.
  if ((isUnknown && !isKeptPage()) || !loaded) return <LoadingScreen />
  if (lacksRestaurantName(session) && pathsNeedingRestaurant.has(pagePathOf(normalizePath(path))))
    return <Redirect to="/onboarding" replace />
  const isOwner = session.state === 'signed-in'
  const page = (
    <Switch>
      {Object.entries(isOwner ? signedInPages : signedOutPages).map(([route, component]) => (
        <Route key={route} path={portals.includes(route) ? `${route}/*?` : route} component={component} />
      ))}
      <Route component={isOwner ? NotFound : Landing} />
    </Switch>
  )
  const pagePath = pagePathOf(normalizePath(path))
  return (
    <ErrorBoundary key={pagePathOf(path)} reload={reload}>
      <Suspense fallback={<LoadingScreen />}>
        {hasFrame(pagePath, isOwner) ? <PortalFrame {...{ isOwner, path }}>{page}</PortalFrame> : page}
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

function ServerPage(): JSX.Element {
  const [path, navigate] = useLocation()
  useEffect(() => {
    navigate(path + location.search, { replace: true })
  }, [navigate, path])
  return <LoadingScreen />
}
