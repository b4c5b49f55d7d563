import type { JSX } from 'react'
import { Link } from 'wouter'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Card } from '../../../ui/card.tsx'
import { LinkButton } from '../../../ui/link-button.tsx'
import { InOrder } from '../../../ui/page/in-order.tsx'
import { AdminFrame } from '../frame.tsx'
import { Loaded } from '../loaded.tsx'
import { ApiTokens } from '../settings/api-tokens.tsx'
import { RestaurantPassword } from '../settings/restaurant-password.tsx'
import { UserManagement } from '../settings/user-management.tsx'

/** Who may sign in, and with what. */
export const PeoplePage = (): JSX.Element => (
  <AdminFrame section="people">{({ email }) => <People email={email} />}</AdminFrame>
)

function People({ email }: { email: string }): JSX.Element {
  const user = useFreshApiQuery(api.managers.currentUser, {})
  return (
    <InOrder className="grid items-start gap-6 *:min-w-0 xl:grid-cols-2">
      <InOrder className="flex flex-col gap-6">
        <Loaded title={t('User Management')} query={user}>
          {(data) => <UserManagement user={data} email={email} />}
        </Loaded>
        <ApiTokens />
      </InOrder>
      <InOrder className="flex flex-col gap-6">
        <Loaded title={t('Restaurant Password')} query={user}>
          {({ hasPassword }) => <RestaurantPassword hasPassword={hasPassword !== false} />}
        </Loaded>
        <Card
          title={t('Security')}
          description={t('Passkeys, recovery codes, and the devices that are signed in')}
        >
          <div>
            <Link href="/security" asChild>
              <LinkButton>{t('Open Security')}</LinkButton>
            </Link>
          </div>
        </Card>
        <Card
          title={t('Your restaurants')}
          description={t('Add another restaurant to your account, and see how each is doing')}
        >
          <div>
            <Link href="/restaurants" asChild>
              <LinkButton>{t('Add a restaurant')}</LinkButton>
            </Link>
          </div>
        </Card>
      </InOrder>
    </InOrder>
  )
}
