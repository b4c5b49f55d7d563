import House from 'lucide-react/icons/house'
import ShieldCheck from 'lucide-react/icons/shield-check'
import { type JSX, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { AdminUser } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { useGuestPath } from '../../api/use-guest-path.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { useManagementSession } from '../../api/session.ts'
import { useConnection } from '../../api/use-live.ts'
import { useNow } from '../../lib/use-now.ts'
import { localDate } from '../../lib/dates.ts'
import { Button } from '../../ui/button.tsx'
import { LinkCard } from '../../ui/choice-card.tsx'
import { CrewDashboardCard, CustomerViewCard } from '../../ui/shortcut-cards.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { OwnerNotices } from '../../ui/owner-notices.tsx'
import { Page } from '../../ui/page.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { RedirectToLogin } from '../../ui/redirect-to-login.tsx'
import { useSignOut } from '../../ui/use-sign-out.ts'
import { Analytics } from './analytics.tsx'
import { DeviceAlerts } from './device-alerts.tsx'
import { ManagerAccess } from './manager-access.tsx'
import { EscalationAlert, NoListenersAlert } from './alerts.tsx'
import { OverviewCards } from './overview-cards.tsx'
import { QrCodeManagement } from './qr-code-management.tsx'
import { LoadError } from '../../ui/load-error.tsx'
import { QueryError } from './query-error.tsx'
import { escalatedToManager } from './today-reducer.ts'
import { TodayPanel } from './today-panel.tsx'
import { useToday } from './use-today.ts'

export type ManagementPortalProps = {
  /** Called when a request is escalated to the manager. */
  ring: () => void
  /** In the header. */
  soundButton: ReactNode
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
        <Page theme="light" title="Management Portal">
          <LoadError message={session.message} onRetry={session.retry} />
        </Page>
      )
    case 'unknown':
      return <LoadingPage />
  }
}

function LoadingPage(): JSX.Element {
  return (
    <Page theme="light" title="Management Portal">
      <Spinner />
    </Page>
  )
}

function SignedOut(): JSX.Element {
  return (
    <RedirectToLogin message="Please log in to access management portal" login="/management-login">
      <LoadingPage />
    </RedirectToLogin>
  )
}

type PortalProps = ManagementPortalProps & { user: AdminUser }

function SignedIn(props: PortalProps): JSX.Element {
  const connection = useConnection()
  return connection.state === 'signed-out' ? <SignedOut /> : <Portal {...props} />
}

function Portal({ user: { restaurantName, managerUsername }, ring, soundButton }: PortalProps): JSX.Element {
  const signOut = useSignOut()
  const today = useToday()
  const overview = useFreshApiQuery(api.analytics.overview, {})
  const now = useNow(60_000)
  /** The restaurant's own day; the browser's if that is unknown. */
  const day = overview.data?.day ?? (overview.error ? localDate(now) : null)

  return (
    <Page
      theme="light"
      title="Management Portal"
      subtitle={<p className="wrap-anywhere">{restaurantName}</p>}
      actions={
        <>
          {soundButton}
          <span className="max-sm:hidden">
            <Link href="/security" asChild>
              <LinkButton variant="quiet" icon={<ShieldCheck aria-hidden size={20} />}>
                Security
              </LinkButton>
            </Link>
          </span>
          <Link href="/portal-selection" asChild>
            <LinkButton variant="quiet" icon={<House aria-hidden size={20} />}>
              <span className="max-sm:sr-only">Home</span>
            </LinkButton>
          </Link>
          <Button onClick={signOut}>Sign Out</Button>
        </>
      }
    >
      <RecoveryNotice />
      <NoListenersAlert screens={today.screens} ring={ring} />
      <EscalationAlert requests={escalatedToManager(today.open)} ring={ring} />
      {overview.error && !overview.data ? (
        <QueryError
          error={overview.error}
          fallback="The overview could not be loaded."
          onRetry={overview.refetch}
        />
      ) : (
        <OverviewCards overview={overview.data ?? null} />
      )}
      <DeviceAlerts />
      <Shortcuts restaurantName={restaurantName} />
      {day === null ? <Spinner /> : <TodayPanel today={today} day={day} />}
      <div className="grid gap-6 lg:grid-cols-2">
        <ManagerAccess managerUsername={managerUsername} />
        <QrCodeManagement />
      </div>
      {day !== null && <Analytics today={day} />}
    </Page>
  )
}

function Shortcuts({ restaurantName }: { restaurantName: string }): JSX.Element {
  const guestPath = useGuestPath(restaurantName)
  return (
    <nav aria-label="Shortcuts" className="grid gap-4 md:grid-cols-2">
      <CrewDashboardCard />
      <CustomerViewCard href={guestPath} description="Test the customer experience" />
      {/* The header has no room for it on a phone. */}
      <div className="sm:hidden">
        <LinkCard
          href="/security"
          title="Security"
          description="How you sign in, and where"
          icon={ShieldCheck}
        />
      </div>
    </nav>
  )
}

/** For people who sign in with a second factor but have no recovery codes for the day they lose it. */
function RecoveryNotice(): JSX.Element | null {
  const { data: authenticator } = useFreshApiQuery(api.secondFactors.authenticator, {})
  const isOn = authenticator !== undefined && authenticator.since !== null
  const { data: codes } = useFreshApiQuery(api.recovery.codes, isOn ? {} : null)
  if (codes?.left !== 0) return null
  return <OwnerNotices notices={[noRecoveryCodes]} />
}

const noRecoveryCodes = {
  id: 'no-recovery-codes',
  text: 'If you ever lose your phone, a recovery code lets you in.',
  link: { href: '/security#recovery-codes', text: 'Save your recovery codes.' },
  dismiss: null,
}
