import { expect, it } from 'vitest'
import { zonePlace, zoneRegion, listTimeZones } from './time-zones.ts'

it('lists every zone once, including the current one', () => {
  const zones = listTimeZones('Etc/GMT+5')
  expect(zones).toEqual(expect.arrayContaining(['UTC', 'Etc/GMT+5', 'Europe/Berlin', 'Asia/Tokyo']))
  expect(new Set(zones).size).toBe(zones.length)
})

it('splits a zone into its region and place', () => {
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

it('says of a zone without a place how far ahead it is', () => {
  const zones = ['Etc/GMT-14', 'Etc/GMT+5', 'Etc/GMT', 'Etc/GMT+0']
  expect(zones.map((zone) => [zoneRegion(zone), zonePlace(zone)])).toEqual([
    ['Other', 'UTC+14'],
    ['Other', 'UTC-5'],
    ['Other', 'GMT'],
    ['Other', 'GMT'],
  ])
})
