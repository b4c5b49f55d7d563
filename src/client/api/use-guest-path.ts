import { api } from '#contract/api.ts'
import { useFreshApiQuery } from './queries.ts'

/** Where owners and managers try the guest page: with the proof of a code, so that nothing is refused. */
export function useGuestPath(restaurantName: string): string {
  const { data } = useFreshApiQuery(api.restaurant.settings, {})
  if (!data) return `/customer?r=${encodeURIComponent(restaurantName)}`
  const { pathname, search } = new URL(data.guestLink)
  return pathname + search
}
