import ConciergeBell from 'lucide-react/icons/concierge-bell'
import House from 'lucide-react/icons/house'
import Smartphone from 'lucide-react/icons/smartphone'
import { type JSX, useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { useManagementSession } from '../../api/session.ts'
import { forgetSession } from '../../lib/browser-storage.ts'
import { useLater } from '../../lib/later.ts'
import { Button } from '../../ui/button.tsx'
import { LinkCard } from '../../ui/choice-card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { Page } from '../../ui/page.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useToast } from '../../ui/toast.tsx'

export function ManagementPortal(): JSX.Element {
  const session = useManagementSession()
  switch (session.state) {
    case 'signed-in':
      return <Portal restaurantName={session.user.restaurantName} />
    case 'refused':
      return <SignedOut />
    case 'failed':
      return (
        <Page ground="light" title="Management Portal">
          <p role="alert">{session.message}</p>
        </Page>
      )
    case 'unknown':
      return <Opening />
  }
}

function Opening(): JSX.Element {
  return (
    <Page ground="light" title="Management Portal">
      <Spinner />
    </Page>
  )
}

function SignedOut(): JSX.Element {
  const { toast } = useToast()
  const later = useLater()
  const [, navigate] = useLocation()
  useEffect(() => {
    toast({
      title: 'Unauthorized',
      description: 'Please log in to access management portal',
      destructive: true,
    })
    later(1000, () => navigate('/management-login', { replace: true }))
  }, [toast, later, navigate])
  return <Opening />
}

function Portal({ restaurantName }: { restaurantName: string }): JSX.Element {
  const [, navigate] = useLocation()

  function signOut(): void {
    forgetSession()
    navigate('/api/logout?returnTo=/restaurant-login')
  }

  return (
    <Page
      ground="light"
      title="Management Portal"
      subtitle={restaurantName}
      width="medium"
      actions={
        <>
          <Link href="/portal-selection" asChild>
            <LinkButton variant="quiet" icon={<House aria-hidden size={20} />}>
              Home
            </LinkButton>
          </Link>
          <Button onClick={signOut}>Sign Out</Button>
        </>
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
        <Link href={`/customer?r=${encodeURIComponent(restaurantName)}`} asChild>
          <LinkCard
            title="Customer View"
            description="Test the customer experience"
            icon={<Smartphone aria-hidden size={28} />}
          />
        </Link>
      </nav>
    </Page>
  )
}
