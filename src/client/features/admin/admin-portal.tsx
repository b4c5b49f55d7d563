import { type JSX, useEffect } from 'react'
import { useLocation } from 'wouter'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { useGuestPath } from '../../api/use-guest-path.ts'
import { lazyPart } from '../../lib/hooks/lazy.tsx'
import { t } from '../../lib/texts/translate.ts'
import { InOrder } from '../../ui/page/in-order.tsx'
import { LanguageSelect } from '../../ui/page/language-select.tsx'
import { CrewDashboardCard, CustomerViewCard } from '../../ui/page/shortcut-cards.tsx'
import { AdminFrame } from './frame.tsx'
import { Loaded } from './loaded.tsx'
import { LoadingCard } from './loading-card.tsx'
import { Overview } from './overview.tsx'
import { QrManagement } from './qr-management.tsx'
import { UserManagement } from './settings/user-management.tsx'
import { SubscriptionManagement } from './subscription-management.tsx'

/** The largest part comes in a file of its own, so that the figures do not wait for it. */
const TableManagement = lazyPart(async () => (await import('./table-management.tsx')).TableManagement, {
  fallback: (failed, onRetry) => <LoadingCard title={t('Table Management')} {...{ failed, onRetry }} />,
  retry: 'manual',
})

/** The Overview is the specified page; each section has more room for the same, and what else belongs to it. */
export function AdminPortal(): JSX.Element {
  return (
    <AdminFrame section="">
      {({ restaurantName, email }) => <Everything {...{ restaurantName, email }} />}
    </AdminFrame>
  )
}

function Everything({ restaurantName, email }: { restaurantName: string; email: string }): JSX.Element {
  const user = useFreshApiQuery(api.managers.currentUser, {})
  const guestPath = useGuestPath(restaurantName)
  useFormerAnchors()
  return (
    <>
      <Overview />
      <TableManagement />
      <InOrder className="grid items-start gap-6 *:min-w-0 md:grid-cols-2">
        <InOrder className="flex flex-col gap-6">
          <QrManagement />
          <Loaded title={t('Subscription Management')} query={user}>
            {(data) => <SubscriptionManagement user={data} />}
          </Loaded>
        </InOrder>
        <Loaded title={t('User Management')} query={user}>
          {(data) => <UserManagement user={data} email={email} />}
        </Loaded>
      </InOrder>
      <nav aria-label={t('Shortcuts')} className="grid gap-3 md:grid-cols-2">
        <CrewDashboardCard />
        <CustomerViewCard href={guestPath} description={t('Test customer experience')} />
      </nav>
      <div className="max-w-md">
        <LanguageSelect />
      </div>
    </>
  )
}

/** What was a part of this page is a section now: bookmarks and printed manuals still lead there. */
function useFormerAnchors(): void {
  const [, navigate] = useLocation()
  useEffect(() => {
    const section = formerAnchors[location.hash]
    if (section !== undefined) navigate(`/admin-dashboard/${section}`, { replace: true })
  }, [navigate])
}

const formerAnchors: Record<string, string> = {
  '#tables': 'floor',
  '#qr-code': 'codes',
  '#subscription': 'billing',
  '#users': 'people',
  '#settings': 'settings',
}
