import ShieldCheck from 'lucide-react/icons/shield-check'
import { type JSX, type ReactNode, useEffect } from 'react'
import { Link } from 'wouter'
import { api } from '#contract/api.ts'
import { useOwnerNotices } from '../../api/use-owner-notices.ts'
import { useGuestPath } from '../../api/use-guest-path.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { lazyPart } from '../../lib/lazy.tsx'
import { Button } from '../../ui/button.tsx'
import { CrewDashboardCard, CustomerViewCard } from '../../ui/shortcut-cards.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Page } from '../../ui/page.tsx'
import { OwnerNotices } from '../../ui/owner-notices.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { RedirectToLogin } from '../../ui/redirect-to-login.tsx'
import { useSignOut } from '../../ui/use-sign-out.ts'
import { Overview } from './overview.tsx'
import { QrManagement } from './qr-management.tsx'
import { RestaurantPassword } from './settings/restaurant-password.tsx'
import { SubscriptionManagement } from './subscription-management.tsx'
import { TableManagement } from './table-management.tsx'
import { LoadingCard } from './loading-card.tsx'
import { UserManagement } from './settings/user-management.tsx'

export function AdminPortal(): JSX.Element {
  const session = useSession()
  if (session.state === 'signed-in' && session.user.restaurantName !== null)
    return <Portal restaurantName={session.user.restaurantName} email={session.user.email} />
  return (
    <RedirectToLogin message="Please log in to access admin portal" login="/demo-login">
      <Page theme="light" title="Admin Portal">
        <Spinner />
      </Page>
    </RedirectToLogin>
  )
}

/** Rarely needed, so loaded separately. */
const Settings = lazyPart(async () => (await import('./settings/settings.tsx')).Settings, {
  fallback: (failed, onRetry) => <LoadingCard title="Settings" {...{ failed, onRetry }} />,
  retry: 'manual',
})

const sections = [
  ['overview', 'Overview'],
  ['tables', 'Tables'],
  ['qr-code', 'QR code'],
  ['subscription', 'Subscription'],
  ['users', 'Users'],
  ['settings', 'Settings'],
  ['portals', 'Portals'],
] as const
type SectionId = (typeof sections)[number][0]

function Portal({ restaurantName, email }: { restaurantName: string; email: string }): JSX.Element {
  const signOut = useSignOut()
  useStickyNavOffset()
  const user = useFreshApiQuery(api.managers.currentUser, {})
  const guestPath = useGuestPath(restaurantName)
  const notices = useOwnerNotices()
  const known = user.data !== undefined
  // The address may name a section, which exists only now.
  useEffect(() => {
    if (known) document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [known])

  return (
    <Page
      theme="light"
      title="Admin Portal"
      subtitle={<p className="wrap-anywhere">{restaurantName}</p>}
      actions={
        <>
          <Link href="/security" asChild>
            <LinkButton variant="quiet" icon={<ShieldCheck aria-hidden size={20} />}>
              <span className="max-sm:sr-only">Security</span>
            </LinkButton>
          </Link>
          <Button onClick={signOut}>Sign Out</Button>
        </>
      }
    >
      <SectionNav />
      <OwnerNotices notices={notices} />
      <PortalSection id="overview">
        <Overview />
      </PortalSection>
      <TableManagement />
      <div className="grid items-stretch gap-6 md:grid-cols-2 *:*:h-full">
        <PortalSection id="qr-code">
          <QrManagement />
        </PortalSection>
        <PortalSection id="subscription">
          {user.data ? (
            <SubscriptionManagement user={user.data} />
          ) : (
            <LoadingCard title="Subscription Management" failed={user.isError} onRetry={user.refetch} />
          )}
        </PortalSection>
        <PortalSection id="users">
          {user.data ? (
            <UserManagement user={user.data} email={email} />
          ) : (
            <LoadingCard title="User Management" failed={user.isError} onRetry={user.refetch} />
          )}
        </PortalSection>
        <div className="min-w-0">
          {user.data ? (
            <RestaurantPassword hasPassword={user.data.hasPassword !== false} />
          ) : (
            <LoadingCard title="Restaurant Password" failed={user.isError} onRetry={user.refetch} />
          )}
        </div>
      </div>
      <PortalSection id="settings">
        <Settings />
      </PortalSection>
      <PortalSection id="portals">
        <nav aria-label="Shortcuts" className="grid gap-3 md:grid-cols-2">
          <CrewDashboardCard />
          <CustomerViewCard href={guestPath} description="Test customer experience" />
        </nav>
      </PortalSection>
    </Page>
  )
}

function SectionNav(): JSX.Element {
  return (
    <nav
      aria-label="Sections"
      className="sticky top-0 z-10 -mx-4 -my-2 border-b border-rule bg-ground px-4 sm:-mx-6 sm:px-6"
    >
      <ul className="-mx-2 flex gap-1 overflow-x-auto p-1 [scrollbar-width:none]">
        {sections.map(([id, name]) => (
          <li key={id}>
            <a
              href={`#${id}`}
              className="grid min-h-11 place-items-center rounded-control px-3 font-semibold whitespace-nowrap text-text-mute hover:bg-plate-2 hover:text-text"
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Keeps the target of a scroll clear of the sticky links at the top. */
function useStickyNavOffset(): void {
  useEffect(() => {
    const { style } = document.documentElement
    style.scrollPaddingTop = '4.5rem'
    return () => {
      style.scrollPaddingTop = ''
    }
  }, [])
}

/** The target of a link in the section navigation. */
function PortalSection({ id, children }: { id: SectionId; children: ReactNode }): JSX.Element {
  return (
    <div id={id} className="min-w-0">
      {children}
    </div>
  )
}
