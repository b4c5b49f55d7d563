import Store from 'lucide-react/icons/store'
import { type JSX, useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { useSession } from '../../api/session.ts'
import { clearTab, setStored } from '../../lib/browser/browser-storage.ts'
import { leaveFor } from '../../lib/hooks/use-close-on-back.ts'
import { t } from '../../lib/texts/translate.ts'

/** Names the restaurant that an owner of several is in, and leads to the others. */
export function RestaurantsLink(): JSX.Element | null {
  const session = useSession()
  const [path] = useLocation()
  useRestaurantOfOtherTabs(session.state === 'signed-in' ? session.user.restaurantName : null)
  if (session.state !== 'signed-in' || session.user.ownsSeveral !== true) return null
  const isCurrent = path.toLowerCase().startsWith('/restaurants')
  return (
    <li className="owner-nav-restaurant">
      <Link href="/restaurants" aria-current={isCurrent ? 'page' : undefined}>
        <Store aria-hidden size={20} />
        <span className="owner-nav-name">{session.user.restaurantName}</span>
        <span className="sr-only">{t('Your restaurants')}</span>
      </Link>
    </li>
  )
}

/**
 * Opens the home of the restaurant that another tab switched to, or signed in to: what this one shows is another's, and
 * what is pressed here would change that one.
 */
function useRestaurantOfOtherTabs(name: string | null): void {
  useEffect(() => {
    if (name !== null) setStored('owners-restaurant', name)
    const follow = ({ key, newValue }: StorageEvent): void => {
      const isOther = key === 'owners-restaurant' && name !== null && newValue !== name
      if (newValue === null || !(key === 'restaurant-switch' || isOther)) return
      clearTab()
      leaveFor('/dashboard')
    }
    addEventListener('storage', follow)
    return () => removeEventListener('storage', follow)
  }, [name])
}
