import type { JSX } from 'react'
import { Link } from 'wouter'
import type { AdminUser } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { subscriptionNotices, planName, formatPrice } from '#contract/billing.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { paymentProvider } from '../../lib/page-settings.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'

/** The session already has the status; the plan and any failed payment are loaded afterwards. */
export function SubscriptionManagement({ user }: { user: AdminUser }): JSX.Element {
  const { data, isPending } = useFreshApiQuery(api.billing.subscription, {})
  const active = user.subscriptionStatus === 'active'
  const included = paymentProvider() === 'off'
  return (
    <Card title="Subscription Management" description="QR codes, portals and analytics">
      {included ? (
        <p>Everything is included</p>
      ) : (
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1">
          <dt className="text-text-mute">Plan</dt>
          <dd className="font-semibold">{planName}</dd>
          <dt className="text-text-mute">Price</dt>
          <dd>{!isPending && formatPrice(data?.plan ?? 'monthly')}</dd>
          <dt className="text-text-mute">Status</dt>
          <dd>
            <Badge tone={active ? 'done' : 'plain'}>{active ? 'Active' : 'Inactive'}</Badge>
          </dd>
          {user.customerId !== undefined && (
            <>
              <dt className="text-text-mute">Customer ID</dt>
              <dd className="text-sm leading-6 wrap-anywhere">{user.customerId}</dd>
            </>
          )}
        </dl>
      )}
      {data?.notice && <p className="font-semibold text-late">{subscriptionNotices[data.notice]}</p>}
      {!included && (
        <div className="mt-auto">
          <Link href="/subscribe" asChild>
            <LinkButton variant={active ? 'secondary' : 'primary'}>
              {active ? 'Manage Subscription' : 'Activate Subscription'}
            </LinkButton>
          </Link>
        </div>
      )}
    </Card>
  )
}
