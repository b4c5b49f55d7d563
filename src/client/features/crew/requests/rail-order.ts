import type { ServiceRequest } from '#contract/requests/requests.ts'
import type { RequestAction } from './requests-reducer.ts'

/**
 * First where `me` is going, then who waits, then where colleagues are going. A ticket stays where it is while its tap
 * waits to be sent: nobody else knows about it yet.
 */
export function sortForRail(
  open: readonly ServiceRequest[],
  me: string | null,
  unsent: ReadonlyMap<string, RequestAction>,
): readonly ServiceRequest[] {
  const places: [ServiceRequest[], ServiceRequest[], ServiceRequest[]] = [[], [], []]
  for (const request of open) {
    const { id, acceptedBy } = request
    const place = !acceptedBy || unsent.has(id) ? 1 : acceptedBy.id === me ? 0 : 2
    places[place].push(request)
  }
  return places.flat()
}
