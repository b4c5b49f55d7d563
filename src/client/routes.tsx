import { type ComponentType, type JSX, lazy, Suspense, useCallback, useEffect } from 'react'
import { Redirect, Route, Router, type RouterProps, Switch, useLocation } from 'wouter'
import { type Session, useSession } from './api/session.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { useLater } from './lib/later.ts'
import { Spinner } from './ui/spinner.tsx'
import { useToast } from './ui/toast.tsx'

type Screen = () => JSX.Element

function page<Name extends string>(load: () => Promise<Record<Name, Screen>>, name: Name): ComponentType {
  return lazy<Screen>(async () => ({ default: (await load())[name] }))
}

const Landing = page(() => import('./features/landing/landing.tsx'), 'Landing')
const NotFound = page(() => import('./features/landing/not-found.tsx'), 'NotFound')
const OwnerHome = page(() => import('./features/owner/owner-home.tsx'), 'OwnerHome')
const Subscribe = page(() => import('./features/owner/subscribe.tsx'), 'Subscribe')
const GetSetUp = page(() => import('./features/admin/get-set-up.tsx'), 'GetSetUp')
const AdminPortal = page(() => import('./features/admin/admin-portal.tsx'), 'AdminPortal')
const ManagementPortal = page(() => import('./features/management/management-portal.tsx'), 'ManagementPortal')
const Onboarding = page(() => import('./features/accounts/onboarding.tsx'), 'Onboarding')

const everybody: Record<string, ComponentType> = {
  '/customer': ServerPage,
  '/subscribe': Subscribe,
  '/admin-dashboard': AdminPortal,
  '/management-dashboard': ManagementPortal,
  '/waiter': page(() => import('./crew.tsx'), 'Crew'),
  '/demo-login': page(() => import('./features/accounts/admin-login.tsx'), 'AdminLogin'),
  '/waiter-login': page(() => import('./features/accounts/crew-login.tsx'), 'CrewLogin'),
  '/restaurant-login': page(() => import('./features/accounts/restaurant-login.tsx'), 'RestaurantLogin'),
  '/restaurant-signup': page(() => import('./features/accounts/restaurant-signup.tsx'), 'RestaurantSignup'),
  '/portal-selection': page(() => import('./features/accounts/portal-selection.tsx'), 'PortalSelection'),
  '/management-login': page(() => import('./features/accounts/management-login.tsx'), 'ManagementLogin'),
  '/management-setup': page(() => import('./features/accounts/management-setup.tsx'), 'ManagementSetup'),
}

const signedOut: Record<string, ComponentType> = {
  '/': Landing,
  ...everybody,
  '/dashboard': LoggedOut,
  '/onboarding': LoggedOut,
  '/admin': LoggedOut,
}

const signedIn: Record<string, ComponentType> = {
  '/': OwnerHome,
  ...everybody,
  '/dashboard': OwnerHome,
  '/onboarding': Onboarding,
  '/admin': GetSetUp,
}

/** What an owner has no use for before the restaurant has a name. */
const needsRestaurant = new Set([
  '/',
  '/dashboard',
  '/admin',
  '/admin-dashboard',
  '/management-dashboard',
  '/portal-selection',
])

/** Pages that our server gives itself: a browser has to leave the app for them. */
const isServerPage = (path: string): boolean => /^\/(api\/|customer(?![^/?#]))/.test(path)

/** The crew works in the dark; everything else is read by daylight. */
export const groundOf = (path: string): 'dark' | 'light' => (/^\/waiter\/?$/.test(path) ? 'dark' : 'light')

type AppProps = {
  /** A full navigation, away from the app. */
  leave?: (path: string) => void
  reload?: () => void
}

export function App({ leave = goTo, reload = startAgain }: AppProps): JSX.Element {
  const aroundNav = useCallback<NonNullable<RouterProps['aroundNav']>>(
    (navigate, to, options) => {
      if (isServerPage(to)) return leave(to)
      navigate(to, options)
      document.documentElement.scrollTop = 0
    },
    [leave],
  )
  return (
    <Router aroundNav={aroundNav}>
      <Screens reload={reload} />
    </Router>
  )
}

const goTo = (path: string): void => location.assign(path)
const startAgain = (): void => location.reload()

function Screens({ reload }: { reload: () => void }): JSX.Element {
  const session = useSession()
  const [path] = useLocation()
  if (session.state === 'unknown') return <Waiting />
  if (isNameless(session) && needsRestaurant.has(path)) return <Redirect to="/onboarding" replace />
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
  const { toast } = useToast()
  const later = useLater()
  const [path, navigate] = useLocation()
  useEffect(() => {
    toast({
      title: 'Unauthorized',
      description: 'You are logged out. Logging in again...',
      destructive: true,
    })
    later(500, () => navigate(`/api/login?returnTo=${encodeURIComponent(path)}`))
  }, [toast, later, navigate, path])
  return <Landing />
}

function ServerPage(): JSX.Element {
  const [path, navigate] = useLocation()
  useEffect(() => navigate(path + location.search, { replace: true }), [navigate, path])
  return <Waiting />
}
