import type { JSX } from 'react'
import { UsernameLogin } from '#contract/accounts/account-forms.ts'
import type { SignedInCrew } from '#contract/accounts/signed-in.ts'
import { api } from '#contract/api.ts'
import { call } from '../../../api/http.ts'
import { setStored } from '../../../lib/browser/browser-storage.ts'
import { t } from '../../../lib/texts/translate.ts'
import { rememberRestaurant } from '../restaurant-session.ts'
import { Credentials } from './credentials.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { describeLoginError, useLoginForm } from './use-login-form.ts'

export function CrewLogin(): JSX.Element {
  const form = useLoginForm({
    schema: UsernameLogin,
    send: async (body) => await call(api.accounts.crewLogin, { body }),
    describeError: describeLoginError,
    onSuccess: rememberCrew,
    nextPath: '/waiter',
    delayMs: 500,
  })
  return (
    <SignInPage
      title={t('Crew Login')}
      subtitle={t('For crew members with a login of their own')}
      back="/portal-selection"
      form={form}
    >
      <Credentials form={form} />
      <p className="text-text-mute">
        {t('Forgot your password? Ask your owner or manager: the owner can set a new one.')}
      </p>
    </SignInPage>
  )
}

function rememberCrew({ restaurantId, crewMemberId, crewMemberName, role }: SignedInCrew): void {
  rememberRestaurant(restaurantId)
  setStored('crewMemberId', crewMemberId)
  setStored('crewMemberName', crewMemberName)
  setStored('crewRole', role)
}
