import type { JSX } from 'react'
import type { StaffSession } from '#contract/accounts/signed-in.ts'
import { api } from '#contract/api.ts'
import { useApiQueryOrNull } from '../../api/queries.ts'
import { useOwnerNotices } from '../../api/use-owner-notices.ts'
import { sendsMail } from '../../lib/browser/page-settings.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { BackLink } from '../../ui/page/back-link.tsx'
import { LanguageSelect } from '../../ui/page/language-select.tsx'
import { OwnerNotices } from '../../ui/page/owner-notices.tsx'
import { Page } from '../../ui/page/page.tsx'
import { RedirectToLogin } from '../../ui/page/redirect-to-login.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { ActivityCard } from './activity-card.tsx'
import { AuthenticatorCard } from './authenticator-card.tsx'
import { DevicesCard } from './devices-card.tsx'
import { OwnerEmailCard } from './owner-email-card.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { RecoveryCodesCard } from './recovery-codes-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { StaffPasswordCard } from './staff-password-card.tsx'

/** How an owner or manager signs in, where they are signed in, and what was changed. */
export function SecurityPage(): JSX.Element {
  const { data, isPending, isError, refetch } = useApiQueryOrNull(api.accounts.session, {})
  if (isPending) return <LoadingPage />
  if (isError)
    return (
      <Page theme="light" title={t('Security')}>
        <Button onClick={() => void refetch()}>{t('Try again')}</Button>
      </Page>
    )
  const grants = data?.grants ?? []
  if (data?.restaurantName && (grants.includes('owner') || grants.includes('manager')))
    return <Security session={data} restaurantName={data.restaurantName} />
  return (
    <RedirectToLogin message="Please log in to access this page." login="/restaurant-login">
      <LoadingPage />
    </RedirectToLogin>
  )
}

function LoadingPage(): JSX.Element {
  return (
    <Page theme="light" title={t('Security')}>
      <Spinner />
    </Page>
  )
}

type SecurityProps = { session: StaffSession; restaurantName: string }

function Security({ session, restaurantName }: SecurityProps): JSX.Element {
  // The recovery codes card says itself that there are none.
  const notices = useOwnerNotices().filter(({ dismiss }) => dismiss !== null)
  const isOwner = session.grants.includes('owner')
  const back = isOwner ? '/admin-dashboard' : '/management-dashboard'
  return (
    <Page
      theme="light"
      title={t('Security')}
      width="medium"
      subtitle={<p className="wrap-anywhere">{restaurantName}</p>}
      back={<BackLink href={back} />}
    >
      <OwnerNotices notices={notices} />
      {isOwner && sendsMail() && <OwnerEmailCard />}
      <PasskeysCard />
      <AuthenticatorCard />
      <DevicesCard isOwner={isOwner} />
      {isOwner && <StaffPasswordCard />}
      <RecoveryCodesCard restaurantName={restaurantName} />
      <SessionsCard />
      {isOwner && <ActivityCard most={5} />}
      <LanguageSelect />
    </Page>
  )
}
