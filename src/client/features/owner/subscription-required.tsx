import type { JSX } from 'react'
import { Link } from 'wouter'
import { api } from '#contract/api.ts'
import { subscriptionNotices, formatPrice } from '#contract/billing.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'

/** An owner with an unpaid subscription is not asked for a second one. */
export function SubscriptionRequired(): JSX.Element {
  const { data } = useFreshApiQuery(api.billing.subscription, {})
  const pastDue = data?.notice === 'past_due'
  return (
    <Card title="Subscription Required">
      <p>
        {pastDue ? subscriptionNotices.past_due : 'Subscribe to make QR codes for your restaurant.'} Your crew
        and your guests are never cut off.
      </p>
      <div>
        <Link href="/subscribe" asChild>
          <LinkButton variant="primary">
            {pastDue ? 'Manage Subscription' : `Subscribe for ${formatPrice('monthly')}`}
          </LinkButton>
        </Link>
      </div>
    </Card>
  )
}
