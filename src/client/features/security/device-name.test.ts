import { afterEach, expect, it } from 'vitest'
import { setCatalogue } from '../../lib/texts/translate.ts'
import { deviceName } from './device-name.ts'

afterEach(() => setCatalogue('en', new Map()))

const german = new Map([
  ['{browser} on {device}', '{browser} auf {device}'],
  ['Android tablet', 'Android-Tablet'],
  ['Mac or iPad', 'Mac oder iPad'],
  ['Unknown browser', 'Unbekannter Browser'],
])

it.each([
  ['Chrome on Windows', 'Chrome auf Windows'],
  ['Samsung Internet on Android tablet', 'Samsung Internet auf Android-Tablet'],
  ['Safari on Mac or iPad', 'Safari auf Mac oder iPad'],
  ['Browser on Linux', 'Browser auf Linux'],
  ['Unknown browser', 'Unbekannter Browser'],
  ['Firefox', 'Firefox'],
  ['Chrome on the bar', 'Chrome on the bar'],
  ['Tablet on Windows', 'Tablet on Windows'],
  ['Bar phone', 'Bar phone'],
])('names %s in the reader’s language, and leaves given names alone', (name, translated) => {
  expect(deviceName(name)).toBe(name)
  setCatalogue('de', german)
  expect(deviceName(name)).toBe(translated)
})
