/** Every zone this browser knows, and the one that is set, in the order of their names. */
export function timeZones(current: string): string[] {
  return [...new Set(['UTC', current, ...Intl.supportedValuesOf('timeZone')])].toSorted((a, b) =>
    a.localeCompare(b, 'en'),
  )
}

/** 'Europe/Berlin' by its part of the world, which groups a long list. */
export const regionOf = (zone: string): string => (zone.includes('/') ? (zone.split('/')[0] ?? '') : 'Other')

/** 'America/Argentina/Buenos_Aires' as people write it. */
export const placeOf = (zone: string): string =>
  (zone.includes('/') ? zone.slice(zone.indexOf('/') + 1) : zone).replaceAll('_', ' ').replaceAll('/', ', ')

export const timeIn = (zone: string, now: number): string =>
  new Intl.DateTimeFormat(undefined, {
    timeZone: zone,
    weekday: 'short',
    hour: 'numeric',
    minute: '2-digit',
  }).format(now)
