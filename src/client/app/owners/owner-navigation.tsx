import './owner-navigation.css'
import ChartNoAxesColumn from 'lucide-react/icons/chart-no-axes-column'
import ConciergeBell from 'lucide-react/icons/concierge-bell'
import House from 'lucide-react/icons/house'
import QrCode from 'lucide-react/icons/qr-code'
import Settings from 'lucide-react/icons/settings'
import type { JSX, ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '#contract/api.ts'
import { useApiQueryOrNull } from '../../api/queries.ts'
import { t } from '../../lib/texts/translate.ts'
import { FindButton, FindByKey } from '../commands/find-button.tsx'

/** Everything that an owner's one sign-in opens. */
const portals = [
  { path: '/dashboard', label: 'Owner home', icon: House },
  { path: '/admin', label: 'Set up', icon: QrCode },
  { path: '/management-dashboard', label: 'Management', icon: ChartNoAxesColumn },
  { path: '/waiter', label: 'Crew screen', icon: ConciergeBell },
  { path: '/admin-dashboard', label: 'Admin', icon: Settings },
]

/** The same on all screens of an owner. */
export function OwnerNavigation({ restaurants }: { restaurants: ReactNode }): JSX.Element {
  return (
    <nav aria-label={t('Your portals')} className="owner-nav">
      <PortalLinks>
        {restaurants}
        <li>
          <FindButton who="owner" />
        </li>
      </PortalLinks>
    </nav>
  )
}

/** Beside a guest's screen, where an owner tries a request. */
const isFramed = window.parent !== window

/** Only for a browser that an owner or a manager is signed in to. */
export function OwnerNavigationOfCrewScreen(): JSX.Element | null {
  const { data } = useApiQueryOrNull(api.accounts.session, {})
  if (!data || isFramed) return null
  if (!data.grants.includes('owner')) return data.manager ? <FindByKey who="manager" /> : null
  return (
    <nav aria-label={t('Your portals')} className="owner-nav">
      <PortalLinks>
        <li className="max-lg:hidden">
          <FindButton who="owner" />
        </li>
      </PortalLinks>
    </nav>
  )
}

/** What a manager's one sign-in opens. */
const managersPortals = new Set(['/management-dashboard', '/waiter'])

/** For a manager on a page that owners have, too. */
export function ManagerNavigation(): JSX.Element {
  return (
    <nav aria-label={t('Your portals')} className="owner-nav">
      <PortalLinks shown={managersPortals}>
        <li>
          <FindButton who="manager" />
        </li>
      </PortalLinks>
    </nav>
  )
}

type PortalLinksProps = { shown?: ReadonlySet<string>; children: ReactNode }

function PortalLinks({ shown, children }: PortalLinksProps): JSX.Element {
  const [path] = useLocation()
  const current = path === '/' ? '/dashboard' : path.toLowerCase()
  const isCurrent = (portal: string): boolean => current === portal || current.startsWith(`${portal}/`)
  return (
    <ul>
      {portals
        .filter(({ path: to }) => shown?.has(to) ?? true)
        .map(({ path: to, label, icon: Icon }) => (
          <li key={to}>
            <Link href={to} aria-current={isCurrent(to) ? 'page' : undefined}>
              <Icon aria-hidden size={20} />
              {t(label)}
            </Link>
          </li>
        ))}
      {children}
    </ul>
  )
}
