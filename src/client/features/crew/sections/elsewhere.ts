import type { ServiceRequest } from '#contract/requests/requests.ts'
import { requestsCalling } from '../alerts/alerts.ts'

/**
 * Whether a screen that shows only these tables leaves the request out. It never leaves out what calls the person at
 * the screen or what they are on the way to; without a chosen name, what calls everybody.
 */
export function isElsewhere(
  request: ServiceRequest,
  tables: ReadonlySet<string>,
  me: string | null,
): boolean {
  const { tableNumber, acceptedBy, crew, called, level } = request
  if (tables.has(tableNumber)) return false
  if (acceptedBy) return acceptedBy.id !== me
  if (me === null) return level === 0 && (called !== undefined || crew.length > 0)
  return requestsCalling([request], me).length === 0
}
