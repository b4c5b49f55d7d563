import { formatDate } from '../../../lib/time/dates.ts'
import { zoneName } from '../../../lib/time/zone-name.ts'

/** Every zone this browser knows, and the one that is set, in the order of their names. */
export function listTimeZones(current: string): string[] {
  return [...new Set(['UTC', current, ...Intl.supportedValuesOf('timeZone')])].toSorted((a, b) =>
    a.localeCompare(b, 'en'),
  )
}

/** 'Europe/Berlin' by its part of the world, which groups a long list. */
export function zoneRegion(zone: string): string {
  const name = zoneName(zone)
  return name.includes('/') ? (name.split('/')[0] ?? '') : 'Other'
}

/** 'America/Argentina/Buenos_Aires' as people write it. */
export function zonePlace(zone: string): string {
  const name = zoneName(zone)
  return name
    .slice(name.indexOf('/') + 1)
    .replaceAll('_', ' ')
    .replaceAll('/', ', ')
}

export const formatTimeIn = (zone: string, now: number): string =>
  formatDate(now, { timeZone: zone, weekday: 'short', hour: 'numeric', minute: '2-digit' })
