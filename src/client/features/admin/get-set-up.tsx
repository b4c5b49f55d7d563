import ConciergeBell from 'lucide-react/icons/concierge-bell'
import House from 'lucide-react/icons/house'
import LayoutDashboard from 'lucide-react/icons/layout-dashboard'
import type { JSX } from 'react'
import { Link } from 'wouter'
import { LinkCard } from '../../ui/choice-card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Page } from '../../ui/page.tsx'

export function GetSetUp(): JSX.Element {
  return (
    <Page
      ground="light"
      title="Get Set Up"
      width="medium"
      actions={
        <Link href="/" asChild>
          <LinkButton icon={<House aria-hidden size={20} />}>Home</LinkButton>
        </Link>
      }
    >
      <nav aria-label="Shortcuts" className="flex flex-col gap-3">
        <Link href="/waiter" asChild>
          <LinkCard
            title="Crew Dashboard"
            description="View live service requests"
            icon={<ConciergeBell aria-hidden size={28} />}
          />
        </Link>
        <Link href="/dashboard" asChild>
          <LinkCard
            title="Dashboard"
            description="Your restaurant and your account"
            icon={<LayoutDashboard aria-hidden size={28} />}
          />
        </Link>
      </nav>
    </Page>
  )
}
