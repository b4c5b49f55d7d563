import { expect, it } from 'vitest'
import { zonePlace, zoneRegion, listTimeZones } from './time-zones.ts'

it('lists every zone once, the one that is set among them', () => {
  const zones = listTimeZones('Etc/GMT+5')
  expect(zones).toEqual(expect.arrayContaining(['UTC', 'Etc/GMT+5', 'Europe/Berlin', 'Asia/Tokyo']))
  expect(new Set(zones).size).toBe(zones.length)
})

it('calls a zone what people call it', () => {
  expect(
    ['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC'].map((zone) => [
      zoneRegion(zone),
      zonePlace(zone),
    ]),
  ).toEqual([
    ['Europe', 'Berlin'],
    ['America', 'Argentina, Buenos Aires'],
    ['Other', 'UTC'],
  ])
})
