import ConciergeBell from 'lucide-react/icons/concierge-bell'
import type { JSX } from 'react'
import { Link, useLocation } from 'wouter'
import { useSession } from '../../api/session.ts'
import { forgetSession } from '../../lib/browser-storage.ts'
import { Button } from '../../ui/button.tsx'
import { LinkCard } from '../../ui/choice-card.tsx'
import { Page } from '../../ui/page.tsx'

export function OwnerHome(): JSX.Element {
  const session = useSession()
  const user = session.state === 'signed-in' ? session.user : null
  const [, navigate] = useLocation()

  function signOut(): void {
    forgetSession()
    navigate('/api/logout')
  }

  return (
    <Page
      ground="light"
      title="Welcome back"
      subtitle={
        <>
          <p>{user?.restaurantName}</p>
          <p className="wrap-anywhere">{user?.email}</p>
        </>
      }
      width="medium"
      actions={<Button onClick={signOut}>Sign Out</Button>}
    >
      <nav aria-label="Shortcuts" className="flex flex-col gap-3">
        <Link href="/waiter" asChild>
          <LinkCard
            title="Crew Dashboard"
            description="View live service requests"
            icon={<ConciergeBell aria-hidden size={28} />}
          />
        </Link>
      </nav>
    </Page>
  )
}
