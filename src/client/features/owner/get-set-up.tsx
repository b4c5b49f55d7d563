import House from 'lucide-react/icons/house'
import LayoutDashboard from 'lucide-react/icons/layout-dashboard'
import Printer from 'lucide-react/icons/printer'
import type { JSX } from 'react'
import { Link } from 'wouter'
import { useSession } from '../../api/session.ts'
import { t } from '../../lib/texts/translate.ts'
import { LinkCard } from '../../ui/choice-card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Page } from '../../ui/page/page.tsx'
import { CrewDashboardCard } from '../../ui/page/shortcut-cards.tsx'
import { QrCodeCard } from './qr-code-card.tsx'
import { SubscriptionRequired } from './subscription/subscription-required.tsx'

export function GetSetUp(): JSX.Element {
  const session = useSession()
  const user = session.state === 'signed-in' ? session.user : null
  const active = user?.subscriptionStatus === 'active'
  return (
    <Page
      theme="light"
      title={t('Get Set Up')}
      subtitle={user?.restaurantName}
      width="medium"
      actions={
        <Link href="/" asChild>
          <LinkButton icon={<House aria-hidden size={20} />}>{t('Home')}</LinkButton>
        </Link>
      }
    >
      {user && !active && <SubscriptionRequired />}
      <QrCodeCard restaurantName={user?.restaurantName ?? null} renewable={active} />
      <nav aria-label={t('Shortcuts')} className="flex flex-col gap-3">
        <LinkCard
          href="/admin/cards"
          title={t('Table Cards')}
          description={t('Print a code of its own for every table')}
          icon={Printer}
        />
        <CrewDashboardCard />
        <LinkCard
          href="/dashboard"
          title={t('Dashboard')}
          description={t('Your restaurant and your account')}
          icon={LayoutDashboard}
        />
      </nav>
    </Page>
  )
}
