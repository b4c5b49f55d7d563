import ConciergeBell from 'lucide-react/icons/concierge-bell'
import Smartphone from 'lucide-react/icons/smartphone'
import { type JSX, useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { useSession } from '../../api/session.ts'
import { forgetSession } from '../../lib/browser-storage.ts'
import { useLater } from '../../lib/later.ts'
import { Button } from '../../ui/button.tsx'
import { LinkCard } from '../../ui/choice-card.tsx'
import { Page } from '../../ui/page.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useToast } from '../../ui/toast.tsx'

export function AdminPortal(): JSX.Element {
  const session = useSession()
  if (session.state === 'signed-in' && session.user.restaurantName !== null)
    return <Portal restaurantName={session.user.restaurantName} />
  return <SignedOut />
}

function SignedOut(): JSX.Element {
  const { toast } = useToast()
  const later = useLater()
  const [, navigate] = useLocation()
  useEffect(() => {
    toast({
      title: 'Unauthorized',
      description: 'Please log in to access admin portal',
      destructive: true,
    })
    later(1000, () => navigate('/demo-login', { replace: true }))
  }, [toast, later, navigate])
  return (
    <Page ground="light" title="Admin Portal">
      <Spinner />
    </Page>
  )
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
      title="Admin Portal"
      subtitle={restaurantName}
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
        <Link href={`/customer?r=${encodeURIComponent(restaurantName)}`} asChild>
          <LinkCard
            title="Customer View"
            description="Test customer experience"
            icon={<Smartphone aria-hidden size={28} />}
          />
        </Link>
      </nav>
    </Page>
  )
}
