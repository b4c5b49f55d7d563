import House from 'lucide-react/icons/house'
import ShieldCheck from 'lucide-react/icons/shield-check'
import { type JSX, type ReactNode, useEffect } from 'react'
import { Link, useSearch } from 'wouter'
import type { AdminUser } from '#contract/accounts/signed-in.ts'
import { api } from '#contract/api.ts'
import { useConnection } from '../../api/live/use-live.ts'
import { useManagementSession } from '../../api/management-session.ts'
import { useApiCache, useFreshApiQuery } from '../../api/queries.ts'
import { useErasure, useForgetSession } from '../../api/session.ts'
import { useGuestPath } from '../../api/use-guest-path.ts'
import { useSignOut } from '../../api/use-sign-out.ts'
import { lazyPart } from '../../lib/hooks/lazy.tsx'
import { t } from '../../lib/texts/translate.ts'
import { localDate } from '../../lib/time/dates.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { InOrder, NotYetLoaded } from '../../ui/page/in-order.tsx'
import { LanguageSelect } from '../../ui/page/language-select.tsx'
import { LoadError } from '../../ui/page/load-error.tsx'
import { OwnerNotices } from '../../ui/page/owner-notices.tsx'
import { Page } from '../../ui/page/page.tsx'
import { RedirectToLogin } from '../../ui/page/redirect-to-login.tsx'
import { CrewDashboardCard, CustomerViewCard } from '../../ui/page/shortcut-cards.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { restaurantDeletedText } from '../../ui/page/use-go-to-login.ts'
import { ManagerNotes } from './manager-notes.tsx'
import { EscalationAlert, NoListenersAlert } from './now/alerts.tsx'
import { DeviceAlerts } from './now/device-alerts.tsx'
import { isOpenAt } from './now/is-open.ts'
import { NowPage } from './now/now-page.tsx'
import { escalatedToManager } from './now/today-reducer.ts'
import { useMidnight } from './now/use-midnight.ts'
import { useToday } from './now/use-today.ts'
import { OverviewCards } from './overview-cards.tsx'
import { paths, PortalNav, useNormalPath } from './portal-nav.tsx'
import { QueryError } from './query-error.tsx'

const whileLoading: Parameters<typeof lazyPart>[1] = {
  fallback: (failed, retry) =>
    failed ? <LoadError message="This part could not be loaded." onRetry={retry} /> : <Spinner />,
  retry: 'manual',
}
const Analytics = lazyPart(async () => (await import('./figures/analytics.tsx')).Analytics, whileLoading)
const WeeklyReport = lazyPart(async () => (await import('./weekly-report.tsx')).WeeklyReport, whileLoading)

export type ManagementPortalProps = {
  /** Called when a request is escalated to the manager. */
  ring: () => void
  /** In the header. */
  soundButton: ReactNode
  /** Beside the navigation. */
  find: ReactNode
}

export function ManagementPortal(props: ManagementPortalProps): JSX.Element {
  const session = useManagementSession()
  switch (session.state) {
    case 'signed-in':
      return <SignedIn {...props} user={session.user} />
    case 'refused':
      return <SignedOut />
    case 'failed':
      return (
        <Page theme="light" title={t('Management Portal')}>
          <LoadError message={session.message} onRetry={session.retry} />
        </Page>
      )
    case 'unknown':
      return <LoadingPage />
  }
}

function LoadingPage(): JSX.Element {
  return (
    <Page theme="light" title={t('Management Portal')}>
      <Spinner />
    </Page>
  )
}

function SignedOut({ isDeleted = false }: { isDeleted?: boolean }): JSX.Element {
  const message = isDeleted ? restaurantDeletedText : 'Please log in to access management portal'
  const login = useLoginPath()
  return (
    <RedirectToLogin {...{ message, login }} isExpected={isDeleted}>
      <LoadingPage />
    </RedirectToLogin>
  )
}

/** The login leads back to the page, such as the report that a mail names. */
function useLoginPath(): string {
  const path = useNormalPath()
  const search = useSearch()
  if (path === paths.now) return '/management-login'
  const returnTo = search === '' ? path : `${path}?${search}`
  return `/management-login?${new URLSearchParams({ returnTo })}`
}

type PortalProps = ManagementPortalProps & { user: AdminUser }

function SignedIn(props: PortalProps): JSX.Element {
  const connection = useConnection()
  return connection.state === 'signed-out' ? (
    <Ended isDeleted={connection.isDeleted} />
  ) : (
    <Portal {...props} />
  )
}

/** The login asks again who is signed in, and offers nobody who is not any more to continue. */
function Ended({ isDeleted }: { isDeleted: boolean }): JSX.Element {
  const forgetSession = useForgetSession()
  useEffect(forgetSession, [forgetSession])
  return <SignedOut isDeleted={isDeleted} />
}

function Portal({ user, ring, soundButton, find }: PortalProps): JSX.Element {
  const { restaurantName, managerUsername } = user
  const today = useToday(restaurantName)
  const overview = useFreshApiQuery(api.analytics.overview, {})
  const opening = useFreshApiQuery(api.opening.state, {})
  const now = useNow(60_000)
  useMidnight(overview.data, now)
  /** The restaurant's own day; the browser's if that is unknown. */
  const day = overview.data?.day ?? (overview.error ? localDate(now) : null)
  const escalated = escalatedToManager(today.open)
  const isWaiting = today.open.some(({ state }) => state === 'waiting')
  const isOpen = opening.data ? isOpenAt(opening.data, now) : opening.error ? true : null
  const path = useNormalPath()
  const asked = new URLSearchParams(useSearch()).get('day')
  const isDeleted = useIsDeleted(today.screens)
  const listenersNeeded = !isDeleted && (isWaiting || isOpen)
  /** Whether an alert is needed. */
  const isUnknown = !today.loaded || today.screens === null || listenersNeeded === null

  return (
    <Page
      theme="light"
      title={t('Management Portal')}
      subtitle={<p className="wrap-anywhere">{restaurantName}</p>}
      actions={<HeaderActions soundButton={soundButton} />}
    >
      <PortalNav path={path} find={find} />
      <InOrder className="flex flex-1 flex-col gap-6">
        <NoListenersAlert
          screens={today.screens}
          needed={listenersNeeded}
          isFollowed={escalated.length > 0}
          ring={ring}
        />
        <EscalationAlert requests={escalated} ring={ring} />
        {isUnknown && <Spinner />}
        <RecoveryNotice />
        <ManagerNotes ring={ring} />
        {path === paths.analytics &&
          (day === null ? <Spinner /> : <Analytics key={asked} today={day} asked={asked} />)}
        {path === paths.report &&
          (day === null ? <Spinner /> : <WeeklyReport restaurantName={restaurantName} today={day} />)}
        {path === paths.now && (
          <NowPage
            {...{ today, listenersNeeded, day }}
            managerUsername={managerUsername}
            overview={
              overview.error && !overview.data ? (
                <QueryError
                  error={overview.error}
                  fallback="The overview could not be loaded."
                  onRetry={overview.refetch}
                />
              ) : (
                <OverviewCards overview={overview.data ?? null} />
              )
            }
            shortcuts={
              <>
                {!isDeleted && <DeviceAlerts />}
                <Shortcuts restaurantName={restaurantName} />
              </>
            }
          />
        )}
        <div className="flex flex-wrap items-end justify-between gap-3 print:hidden">
          <div className="max-w-sm flex-1 basis-48">
            <LanguageSelect />
          </div>
          {/* The header has no room for it on a phone. */}
          <span className="sm:hidden">
            <SecurityLink />
          </span>
        </div>
      </InOrder>
    </Page>
  )
}

/**
 * Nobody listens in a deleted restaurant, and nobody has to. It may have been deleted in another tab, or closed for
 * today.
 */
function useIsDeleted(screens: number | null): boolean {
  const { invalidate } = useApiCache()
  useEffect(() => {
    if (screens === 0) void invalidate(api.accounts.session, api.opening.state)
  }, [screens, invalidate])
  return useErasure() !== null
}

function HeaderActions({ soundButton }: { soundButton: ReactNode }): JSX.Element {
  const signOut = useSignOut()
  return (
    <>
      {soundButton}
      <span className="max-sm:hidden">
        <SecurityLink />
      </span>
      <Link href="/portal-selection" asChild>
        <LinkButton variant="quiet" icon={<House aria-hidden size={20} />}>
          <span className="max-sm:sr-only">{t('Home')}</span>
        </LinkButton>
      </Link>
      <Button onClick={() => signOut()}>{t('Sign Out')}</Button>
    </>
  )
}

function SecurityLink(): JSX.Element {
  return (
    <Link href="/security" asChild>
      <LinkButton variant="quiet" icon={<ShieldCheck aria-hidden size={20} />}>
        {t('Security')}
      </LinkButton>
    </Link>
  )
}

function Shortcuts({ restaurantName }: { restaurantName: string }): JSX.Element {
  const guestPath = useGuestPath(restaurantName)
  return (
    <nav
      aria-label={t('Shortcuts')}
      className="grid grid-cols-[repeat(auto-fit,minmax(min(10rem,100%),1fr))] gap-2 sm:gap-4"
    >
      <div className="@container flex">
        <CrewDashboardCard />
      </div>
      <div className="@container flex">
        <CustomerViewCard href={guestPath} description={t('Test the customer experience')} />
      </div>
    </nav>
  )
}

/** For people who sign in with a second factor but have no recovery codes for the day they lose it. */
function RecoveryNotice(): JSX.Element | null {
  const authenticator = useFreshApiQuery(api.secondFactors.authenticator, {})
  const isOn = authenticator.data !== undefined && authenticator.data.since !== null
  const codes = useFreshApiQuery(api.recovery.codes, isOn ? {} : null)
  if (!authenticator.isFetched || (isOn && !codes.isFetched)) return <NotYetLoaded />
  if (codes.data?.left !== 0) return null
  return <OwnerNotices notices={[noRecoveryCodes()]} />
}

const noRecoveryCodes = () => ({
  id: 'no-recovery-codes',
  text: t('If you ever lose your phone, a recovery code lets you in.'),
  link: { href: '/security#recovery-codes', text: t('Save your recovery codes.') },
  dismiss: null,
})
