import ChartNoAxesColumn from 'lucide-react/icons/chart-no-axes-column'
import ConciergeBell from 'lucide-react/icons/concierge-bell'
import Settings from 'lucide-react/icons/settings'
import { type JSX, type ReactNode, useRef, useState } from 'react'
import { Redirect, useLocation } from 'wouter'
import { api } from '#contract/api.ts'
import { call } from '../../api/http.ts'
import { useSession } from '../../api/session.ts'
import { useOwnerNotices } from '../../api/use-owner-notices.ts'
import { useSignOut } from '../../api/use-sign-out.ts'
import { setStored } from '../../lib/browser/browser-storage.ts'
import { t } from '../../lib/texts/translate.ts'
import { usePortalTexts } from '../../lib/texts/use-portal-texts.ts'
import { Button } from '../../ui/button.tsx'
import { ButtonCard, LinkCard } from '../../ui/choice-card.tsx'
import { LanguageSelect } from '../../ui/page/language-select.tsx'
import { OwnerNotices } from '../../ui/page/owner-notices.tsx'
import { Page } from '../../ui/page/page.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { hasUnsavedRecoveryCodes, FirstRecoveryCodes } from './first-recovery-codes.tsx'
import { useRestaurantSession } from './restaurant-session.ts'

/** For an owner, until they are done. */
type PortalSelectionProps = { firstSteps?: ReactNode }

export function PortalSelection({ firstSteps }: PortalSelectionProps): JSX.Element {
  const restaurant = useRestaurantSession()
  switch (restaurant.state) {
    case 'unknown':
      return (
        <Page theme="light" title={t('Select Portal')} width="medium">
          <Spinner />
        </Page>
      )
    case 'none':
      return <Redirect to="/restaurant-login" replace />
    case 'known':
      return <Portals restaurantName={restaurant.name} firstSteps={firstSteps} />
  }
}

function Portals({
  restaurantName,
  firstSteps,
}: PortalSelectionProps & { restaurantName: string }): JSX.Element {
  const session = useSession()
  const [unsaved, setUnsaved] = useState(() => hasUnsavedRecoveryCodes(restaurantName))
  const showsCodes =
    unsaved && session.state === 'signed-in' && session.user.restaurantName === restaurantName
  const notices = useOwnerNotices().filter(({ id }) => !showsCodes || id !== 'no-recovery-codes')
  const isOwner = session.state === 'signed-in'
  const language = usePortalTexts(isOwner)
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
      title={t('Select Portal')}
      subtitle={restaurantName}
      width="medium"
      actions={<Button onClick={() => signOut()}>{t('Log Out')}</Button>}
    >
      {showsCodes && language && (
        <div {...language} className="contents">
          <FirstRecoveryCodes
            restaurantName={restaurantName}
            onDone={() => {
              portals.current?.focus()
              setUnsaved(false)
            }}
          />
        </div>
      )}
      {isOwner && language && (
        <div {...language} className="contents">
          {firstSteps}
        </div>
      )}
      {notices.length > 0 && language && (
        <div {...language} className="contents">
          <OwnerNotices notices={notices} />
        </div>
      )}
      <nav ref={portals} tabIndex={-1} aria-label={t('Portals')} className="flex flex-col gap-3 outline-none">
        <LinkCard
          href="/waiter"
          title={t('Crew Portal')}
          description={t('Quick access for daily operations')}
          icon={ConciergeBell}
        />
        <ButtonCard
          title={t('Management Portal')}
          description={t('Scheduling, analytics and reports')}
          icon={ChartNoAxesColumn}
          pending={checking}
          onClick={() => void openManagement()}
        />
        <LinkCard
          href="/demo-login"
          title={t('Admin Portal')}
          description={t('Configuration and system settings')}
          icon={Settings}
        />
      </nav>
      <LanguageSelect />
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
