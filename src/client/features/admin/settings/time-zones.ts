import { formatDate } from '../../../lib/dates.ts'

/** Every zone this browser knows, and the one that is set, in the order of their names. */
export function listTimeZones(current: string): string[] {
  return [...new Set(['UTC', current, ...Intl.supportedValuesOf('timeZone')])].toSorted((a, b) =>
    a.localeCompare(b, 'en'),
  )
}

/** 'Europe/Berlin' by its part of the world, which groups a long list. */
export const zoneRegion = (zone: string): string =>
  zone.includes('/') ? (zone.split('/')[0] ?? '') : 'Other'

/** 'America/Argentina/Buenos_Aires' as people write it. */
export const zonePlace = (zone: string): string =>
  (zone.includes('/') ? zone.slice(zone.indexOf('/') + 1) : zone).replaceAll('_', ' ').replaceAll('/', ', ')

export const formatTimeIn = (zone: string, now: number): string =>
  formatDate(now, { timeZone: zone, weekday: 'short', hour: 'numeric', minute: '2-digit' })
