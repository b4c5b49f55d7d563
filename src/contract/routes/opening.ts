import { NewPause, OpeningHoursChange, PausedNeed, type RestaurantOpening } from '../guests/opening.ts'
import { type Routes, unchecked } from './route.ts'

export const opening = {
  state: { method: 'GET', path: '/api/opening', reply: unchecked<RestaurantOpening>() },
  setHours: {
    method: 'POST',
    path: '/api/opening/hours',
    body: OpeningHoursChange,
    reply: unchecked<RestaurantOpening>(),
  },
  /** Replaces the pause that the need has. */
  pause: {
    method: 'POST',
    path: '/api/opening/pauses',
    body: NewPause,
    reply: unchecked<RestaurantOpening>(),
  },
  resume: {
    method: 'DELETE',
    path: '/api/opening/pauses/:serviceType',
    params: PausedNeed,
    reply: unchecked<RestaurantOpening>(),
  },
} satisfies Routes
