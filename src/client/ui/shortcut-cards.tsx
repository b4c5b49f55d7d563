import ConciergeBell from 'lucide-react/icons/concierge-bell'
import Smartphone from 'lucide-react/icons/smartphone'
import type { JSX } from 'react'
import { LinkCard } from './choice-card.tsx'

export function CrewDashboardCard(): JSX.Element {
  return (
    <LinkCard
      href="/waiter"
      title="Crew Dashboard"
      description="View live service requests"
      icon={ConciergeBell}
    />
  )
}

type CustomerViewCardProps = { href: string; description: string }

export function CustomerViewCard({ href, description }: CustomerViewCardProps): JSX.Element {
  return <LinkCard href={href} title="Customer View" description={description} icon={Smartphone} />
}
