import ChartNoAxesColumn from 'lucide-react/icons/chart-no-axes-column'
import ConciergeBell from 'lucide-react/icons/concierge-bell'
import Settings from 'lucide-react/icons/settings'
import { type JSX, useRef, useState } from 'react'
import { Redirect, useLocation } from 'wouter'
import { api } from '#contract/api.ts'
import { call } from '../../api/http.ts'
import { useOwnerNotices } from '../../api/use-owner-notices.ts'
import { useSession } from '../../api/session.ts'
import { setStored } from '../../lib/browser-storage.ts'
import { Button } from '../../ui/button.tsx'
import { ButtonCard, LinkCard } from '../../ui/choice-card.tsx'
import { OwnerNotices } from '../../ui/owner-notices.tsx'
import { Page } from '../../ui/page.tsx'
import { useSignOut } from '../../ui/use-sign-out.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { hasUnsavedRecoveryCodes, FirstRecoveryCodes } from './first-recovery-codes.tsx'
import { useRestaurantSession } from './restaurant-session.ts'

export function PortalSelection(): JSX.Element {
  const restaurant = useRestaurantSession()
  switch (restaurant.state) {
    case 'unknown':
      return (
        <Page theme="light" title="Select Portal" width="medium">
          <Spinner />
        </Page>
      )
    case 'none':
      return <Redirect to="/restaurant-login" replace />
    case 'known':
      return <Portals restaurantName={restaurant.name} />
  }
}

function Portals({ restaurantName }: { restaurantName: string }): JSX.Element {
  const session = useSession()
  const [unsaved, setUnsaved] = useState(() => hasUnsavedRecoveryCodes(restaurantName))
  const showsCodes =
    unsaved && session.state === 'signed-in' && session.user.restaurantName === restaurantName
  const notices = useOwnerNotices().filter(({ id }) => !showsCodes || id !== 'no-recovery-codes')
  const portals = useRef<HTMLElement>(null)
  const [checking, setChecking] = useState(false)
  const [, navigate] = useLocation()
  const signOut = useSignOut()

  async function openManagement(): Promise<void> {
    setChecking(true)
    const firstTime = await needsSetup(restaurantName)
    if (firstTime) setStored('firstTimeSetup', 'true')
    navigate(firstTime ? '/management-setup' : '/management-login')
  }

  return (
    <Page
      theme="light"
      title="Select Portal"
      subtitle={restaurantName}
      width="medium"
      actions={<Button onClick={signOut}>Log Out</Button>}
    >
      {showsCodes && (
        <FirstRecoveryCodes
          restaurantName={restaurantName}
          onDone={() => {
            portals.current?.focus()
            setUnsaved(false)
          }}
        />
      )}
      <OwnerNotices notices={notices} />
      <nav ref={portals} tabIndex={-1} aria-label="Portals" className="flex flex-col gap-3 outline-none">
        <LinkCard
          href="/waiter"
          title="Crew Portal"
          description="Quick access for daily operations"
          icon={ConciergeBell}
        />
        <ButtonCard
          title="Management Portal"
          description="Scheduling, analytics and reports"
          icon={ChartNoAxesColumn}
          pending={checking}
          onClick={() => void openManagement()}
        />
        <LinkCard
          href="/demo-login"
          title="Admin Portal"
          description="Configuration and system settings"
          icon={Settings}
        />
      </nav>
    </Page>
  )
}

/** If the session cannot be determined, the login page shows why. */
async function needsSetup(restaurantName: string): Promise<boolean> {
  try {
    const { hasCredentials } = await call(api.managers.check, { params: { restaurantName } })
    return !hasCredentials
  } catch {
    return false
  }
}
