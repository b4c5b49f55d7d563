import Baby from 'lucide-react/icons/baby'
import BatteryCharging from 'lucide-react/icons/battery-charging'
import BrushCleaning from 'lucide-react/icons/brush-cleaning'
import CakeSlice from 'lucide-react/icons/cake-slice'
import Camera from 'lucide-react/icons/camera'
import CarTaxiFront from 'lucide-react/icons/car-taxi-front'
import CircleParking from 'lucide-react/icons/circle-parking'
import Coffee from 'lucide-react/icons/coffee'
import CreditCard from 'lucide-react/icons/credit-card'
import Croissant from 'lucide-react/icons/croissant'
import GlassWater from 'lucide-react/icons/glass-water'
import Heater from 'lucide-react/icons/heater'
import Shirt from 'lucide-react/icons/shirt'
import Star from 'lucide-react/icons/star'
import Utensils from 'lucide-react/icons/utensils'
import WheatOff from 'lucide-react/icons/wheat-off'
import type { JSX } from 'react'

const icons = {
  allergy: WheatOff,
  baby: Baby,
  bill: CreditCard,
  blanket: Heater,
  bread: Croissant,
  charger: BatteryCharging,
  cleaning: BrushCleaning,
  coat: Shirt,
  coffee: Coffee,
  cutlery: Utensils,
  dessert: CakeSlice,
  parking: CircleParking,
  photo: Camera,
  star: Star,
  taxi: CarTaxiFront,
  water: GlassWater,
}

/** The icon of a need of the restaurant's own. Decoration beside the word: it has no name of its own. */
export function NeedIcon({
  icon,
  size = 24,
}: {
  icon: keyof typeof icons
  size?: number | undefined
}): JSX.Element {
  // A newer server may know more of them.
  const Icon = icons[icon] ?? Star
  return <Icon aria-hidden size={size} className="shrink-0" />
}
