import QrCode from 'lucide-react/icons/qr-code'
import type { JSX } from 'react'
import { Link, useLocation } from 'wouter'
import type { CurrentUser } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { subscriptionNotices, formatPrice } from '#contract/billing.ts'
import { useOwnerNotices } from '../../api/use-owner-notices.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { clearSessionStorage } from '../../lib/browser-storage.ts'
import { paymentProvider } from '../../lib/page-settings.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LinkCard } from '../../ui/choice-card.tsx'
import { CrewDashboardCard } from '../../ui/shortcut-cards.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { OwnerNotices } from '../../ui/owner-notices.tsx'
import { Page } from '../../ui/page.tsx'
import { useSignInRedirectOn } from './use-sign-in-redirect.ts'

export function OwnerHome(): JSX.Element {
  const session = useSession()
  const user = session.state === 'signed-in' ? session.user : null
  const notices = useOwnerNotices()
  const [, navigate] = useLocation()

  function signOut(): void {
    clearSessionStorage()
    navigate('/api/logout')
  }

  return (
    <Page
      theme="light"
      title="Welcome back"
      subtitle={
        <>
          <p>{user?.restaurantName}</p>
          <p>{user?.email}</p>
        </>
      }
      width="medium"
      actions={<Button onClick={signOut}>Sign Out</Button>}
    >
      <OwnerNotices notices={notices} />
      <nav aria-label="Shortcuts" className="flex flex-col gap-3">
        <LinkCard
          href="/admin"
          title="Get Set Up"
          description="Generate the QR code for your tables"
          icon={QrCode}
        />
        <CrewDashboardCard />
      </nav>
      {user && <SubscriptionStatus status={user.subscriptionStatus} />}
    </Page>
  )
}

/** The session already has the status; the plan and any failed payment are loaded afterwards. */
function SubscriptionStatus({ status }: { status: CurrentUser['subscriptionStatus'] }): JSX.Element {
  const { data, error, isPending } = useFreshApiQuery(api.billing.subscription, {})
  useSignInRedirectOn(error)
  const active = status === 'active'
  const included = paymentProvider() === 'off'
  const notice = data?.notice === 'past_due' ? data.notice : null
  return (
    <Card
      title="Subscription Status"
      action={<Badge tone={active ? 'done' : 'plain'}>{active ? 'Active' : 'Inactive'}</Badge>}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className={notice ? 'font-semibold text-late' : 'min-h-6'}>
          {notice
            ? subscriptionNotices[notice]
            : included
              ? 'Everything is included'
              : active
                ? !isPending && `${formatPrice(data?.plan ?? 'monthly')} subscription`
                : 'Subscribe to access QR code features'}
        </p>
        {!included && (
          <Link href="/subscribe" asChild>
            <LinkButton variant={active ? 'secondary' : 'primary'}>
              {active || notice ? 'Manage Subscription' : 'Subscribe Now'}
            </LinkButton>
          </Link>
        )}
      </div>
    </Card>
  )
}
