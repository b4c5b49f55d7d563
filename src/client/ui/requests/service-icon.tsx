import Bell from 'lucide-react/icons/bell'
import Ellipsis from 'lucide-react/icons/ellipsis'
import LifeBuoy from 'lucide-react/icons/life-buoy'
import Receipt from 'lucide-react/icons/receipt'
import UtensilsCrossed from 'lucide-react/icons/utensils-crossed'
import Wine from 'lucide-react/icons/wine'
import { type JSX } from 'react'

const icons = {
  general: Bell,
  drinks: Wine,
  food: UtensilsCrossed,
  check: Receipt,
  assistance: LifeBuoy,
  other: Ellipsis,
}

/** Decoration beside the word: it has no name of its own. */
export function ServiceIcon({
  type,
  size = 24,
}: {
  type: keyof typeof icons
  size?: number | undefined
}): JSX.Element {
  const Icon = icons[type]
  return <Icon aria-hidden size={size} className="shrink-0" />
}
