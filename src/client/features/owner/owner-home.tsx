import QrCode from 'lucide-react/icons/qr-code'
import type { JSX, ReactNode } from 'react'
import { Link } from 'wouter'
import type { CurrentUser } from '#contract/accounts/signed-in.ts'
import { api } from '#contract/api.ts'
import { subscriptionNotices } from '#contract/billing.ts'
import { formatPrice } from '../../api/prices.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useIsDeleted } from '../../api/use-is-deleted.ts'
import { useOwnerNotices } from '../../api/use-owner-notices.ts'
import { useSignOut } from '../../api/use-sign-out.ts'
import { paymentProvider } from '../../lib/browser/page-settings.ts'
import { t } from '../../lib/texts/translate.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LinkCard } from '../../ui/choice-card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { LanguageSelect } from '../../ui/page/language-select.tsx'
import { OwnerNotices } from '../../ui/page/owner-notices.tsx'
import { Page } from '../../ui/page/page.tsx'
import { CrewDashboardCard } from '../../ui/page/shortcut-cards.tsx'
import { useSignInRedirectOn } from './use-sign-in-redirect.ts'

/** Without them once they are done. */
type OwnerHomeProps = { firstSteps?: ReactNode }

export function OwnerHome({ firstSteps }: OwnerHomeProps): JSX.Element {
  const session = useSession()
  const user = session.state === 'signed-in' ? session.user : null
  const notices = useOwnerNotices()
  const signOut = useSignOut()

  return (
    <Page
      theme="light"
      title={t('Welcome back')}
      subtitle={
        <>
          <p>{user?.restaurantName}</p>
          {user && <Address email={user.email} />}
        </>
      }
      width="medium"
      actions={<Button onClick={() => signOut('/api/logout')}>{t('Sign Out')}</Button>}
    >
      {firstSteps}
      <OwnerNotices notices={notices} />
      <nav aria-label={t('Shortcuts')} className="flex flex-col gap-3">
        <LinkCard
          href="/admin"
          title={t('Get Set Up')}
          description={t('Generate the QR code for your tables')}
          icon={QrCode}
        />
        <CrewDashboardCard />
      </nav>
      {user && <SubscriptionStatus status={user.subscriptionStatus} />}
      <LanguageSelect />
    </Page>
  )
}

/** The session already has the status; the plan and any failed payment are loaded afterwards. */
function SubscriptionStatus({ status }: { status: CurrentUser['subscriptionStatus'] }): JSX.Element {
  const { data, error, isPending } = useFreshApiQuery(api.billing.subscription, {})
  useSignInRedirectOn(error)
  const active = status === 'active'
  const included = paymentProvider() === 'off'
  const isDeleted = useIsDeleted()
  const notice = data?.notice === 'past_due' ? data.notice : null
  return (
    <Card
      title={t('Subscription Status')}
      action={<Badge tone={active ? 'done' : 'plain'}>{t(active ? 'Active' : 'Inactive')}</Badge>}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className={notice ? 'font-semibold text-late' : 'min-h-6'}>
          {notice
            ? t(subscriptionNotices[notice])
            : included
              ? t('Everything is included')
              : active
                ? !isPending && t('{price} subscription', { price: formatPrice(data?.plan ?? 'monthly') })
                : t(
                    isDeleted
                      ? 'Your restaurant is deleted. Please restore it first.'
                      : 'Subscribe to access QR code features',
                  )}
        </p>
        {!included && (active || notice || !isDeleted) && (
          <Link href="/subscribe" asChild>
            <LinkButton variant={active ? 'secondary' : 'primary'}>
              {t(active || notice ? 'Manage Subscription' : 'Subscribe Now')}
            </LinkButton>
          </Link>
        )}
      </div>
    </Card>
  )
}

/** On a narrow screen its host has a line of its own. */
function Address({ email }: { email: string }): JSX.Element {
  const at = email.lastIndexOf('@') + 1
  return (
    <p>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </p>
  )
}
