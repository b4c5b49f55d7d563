import type { JSX } from 'react'
import { Link } from 'wouter'
import { api } from '#contract/api.ts'
import { subscriptionNotices } from '#contract/billing.ts'
import { formatPrice } from '../../../api/prices.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { useIsDeleted } from '../../../api/use-is-deleted.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Card } from '../../../ui/card.tsx'
import { LinkButton } from '../../../ui/link-button.tsx'

/** An owner with an unpaid subscription is not asked for a second one. */
export function SubscriptionRequired(): JSX.Element {
  const { data } = useFreshApiQuery(api.billing.subscription, {})
  const pastDue = data?.notice === 'past_due'
  if (useIsDeleted())
    return (
      <Card title={t('Subscription Required')}>
        <p>{t('Your restaurant is deleted. Please restore it first.')}</p>
      </Card>
    )
  return (
    <Card title={t('Subscription Required')}>
      <p>
        {t(pastDue ? subscriptionNotices.past_due : 'Subscribe to make QR codes for your restaurant.')}{' '}
        {t('Your crew and your guests are never cut off.')}
      </p>
      <div>
        <Link href="/subscribe" asChild>
          <LinkButton variant="primary">
            {pastDue
              ? t('Manage Subscription')
              : t('Subscribe for {price}', { price: formatPrice('monthly') })}
          </LinkButton>
        </Link>
      </div>
    </Card>
  )
}
