import ConciergeBell from 'lucide-react/icons/concierge-bell'
import Smartphone from 'lucide-react/icons/smartphone'
import type { JSX } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { LinkCard } from '../choice-card.tsx'

export function CrewDashboardCard(): JSX.Element {
  return (
    <LinkCard
      href="/waiter"
      title={t('Crew Dashboard')}
      description={t('View live service requests')}
      icon={ConciergeBell}
    />
  )
}

type CustomerViewCardProps = { href: string; description: string }

export function CustomerViewCard({ href, description }: CustomerViewCardProps): JSX.Element {
  return <LinkCard href={href} title={t('Customer View')} description={description} icon={Smartphone} />
}
