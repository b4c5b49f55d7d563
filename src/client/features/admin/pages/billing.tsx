import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { AdminFrame } from '../frame.tsx'
import { Loaded } from '../loaded.tsx'
import { SubscriptionManagement } from '../subscription-management.tsx'

export const BillingPage = (): JSX.Element => <AdminFrame section="billing">{() => <Billing />}</AdminFrame>

function Billing(): JSX.Element {
  const user = useFreshApiQuery(api.managers.currentUser, {})
  return (
    <Loaded title={t('Subscription Management')} query={user}>
      {(data) => <SubscriptionManagement user={data} />}
    </Loaded>
  )
}
