import type { JSX } from 'react'
import { Link } from 'wouter'
import type { AdminUser } from '#contract/accounts/signed-in.ts'
import { api } from '#contract/api.ts'
import { subscriptionNotices, planName } from '#contract/billing.ts'
import { formatPrice } from '../../api/prices.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { useIsDeleted } from '../../api/use-is-deleted.ts'
import { paymentProvider } from '../../lib/browser/page-settings.ts'
import { t } from '../../lib/texts/translate.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'

/** The session already has the status; the plan and any failed payment are loaded afterwards. */
export function SubscriptionManagement({ user }: { user: AdminUser }): JSX.Element {
  const { data, isPending } = useFreshApiQuery(api.billing.subscription, {})
  const active = user.subscriptionStatus === 'active'
  const included = paymentProvider() === 'off'
  const isDeleted = useIsDeleted()
  return (
    <Card title={t('Subscription Management')} description={t('QR codes, portals and analytics')}>
      {included ? (
        <p>{t('Everything is included')}</p>
      ) : (
        <dl className="grid grid-cols-1 gap-x-6 gap-y-1 wrap-anywhere min-[20rem]:grid-cols-[auto_minmax(0,1fr)]">
          <dt className="text-text-mute">{t('Plan')}</dt>
          <dd className="font-semibold">{t(planName)}</dd>
          <dt className="text-text-mute">{t('Price')}</dt>
          <dd>{!isPending && formatPrice(data?.plan ?? 'monthly')}</dd>
          <dt className="text-text-mute">{t('Status')}</dt>
          <dd>
            <Badge tone={active ? 'done' : 'plain'}>{t(active ? 'Active' : 'Inactive')}</Badge>
          </dd>
          {user.customerId !== undefined && (
            <>
              <dt className="text-text-mute">{t('Customer ID')}</dt>
              <dd className="text-sm leading-6 wrap-anywhere">{user.customerId}</dd>
            </>
          )}
        </dl>
      )}
      {data?.notice && <p className="font-semibold text-late">{t(subscriptionNotices[data.notice])}</p>}
      {!included && !active && isDeleted && (
        <p className="font-semibold">{t('Your restaurant is deleted. Please restore it first.')}</p>
      )}
      {!included && (active || !isDeleted) && (
        <div className="mt-auto">
          <Link href="/subscribe" asChild>
            <LinkButton variant={active ? 'secondary' : 'primary'}>
              {t(active ? 'Manage Subscription' : 'Activate Subscription')}
            </LinkButton>
          </Link>
        </div>
      )}
    </Card>
  )
}
