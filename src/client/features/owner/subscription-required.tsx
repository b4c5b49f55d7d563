import type { JSX } from 'react'
import { Link } from 'wouter'
import { api } from '#contract/api.ts'
import { notices, priceOf } from '#contract/billing.ts'
import { useFreshRead } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'

/** Whoever has one already, only unpaid, is not asked for a second one. */
export function SubscriptionRequired(): JSX.Element {
  const { data } = useFreshRead(api.billing.subscription, {})
  const pastDue = data?.notice === 'past_due'
  return (
    <Card title="Subscription Required">
      <p>
        {pastDue ? notices.past_due : 'Subscribe to make QR codes for your restaurant.'} Your crew and your
        guests are never cut off.
      </p>
      <div>
        <Link href="/subscribe" asChild>
          <LinkButton variant="primary">
            {pastDue ? 'Manage Subscription' : `Subscribe for ${priceOf('monthly')}`}
          </LinkButton>
        </Link>
      </div>
    </Card>
  )
}
