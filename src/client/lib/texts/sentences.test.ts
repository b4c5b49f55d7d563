import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSentenceTranslation } from './sentences.ts'
import { setCatalogue, t } from './translate.ts'

const texts = new Map<string, string | { one: string; other: string }>([
  ['Table {table}', 'Tisch {table}'],
  ['Table {table} not found', 'Tisch {table} nicht gefunden'],
  ['Too many attempts. Please try again in {what}.', 'Zu viele Versuche. Bitte nochmal nach {what}.'],
  ['Too late: {what}', 'Zu spät: {what}'],
  ['Done', 'Erledigt'],
  ['Crew', 'Team'],
  ['{name} is on the way', '{name} ist unterwegs'],
  ['{count} minutes', { one: 'einer Minute', other: '{count} Minuten' }],
])

beforeEach(() => setCatalogue('de', texts, createSentenceTranslation(texts)))
afterEach(() => setCatalogue('en', new Map()))

it.each([
  ['Too many attempts. Please try again in 1 minute.', 'Zu viele Versuche. Bitte nochmal nach einer Minute.'],
  ['Too many attempts. Please try again in 9 minutes.', 'Zu viele Versuche. Bitte nochmal nach 9 Minuten.'],
  ['Too many attempts. Please try again in 9 hours.', 'Zu viele Versuche. Bitte nochmal nach 9 hours.'],
  ['Too late: Done', 'Zu spät: Erledigt'],
  ['Too late: Maya is on the way', 'Zu spät: Maya ist unterwegs'],
  ['Too late: Crew is on the way', 'Zu spät: Team ist unterwegs'],
  ['Table Patio (3) not found', 'Tisch Patio (3) nicht gefunden'],
])('says %j with its values in the reader’s language', (english, german) => {
  expect(t(english)).toBe(german)
})

it.each([
  ['a sentence that the catalogue lacks', 'Please use at most 100 characters'],
  ['any other text', 'Table 5 is on fire'],
  ['a pattern itself', 'Too many messages. Please wait {what}.'],
])('leaves %s in English', (_, english) => {
  expect(t(english)).toBe(english)
})

it('takes a name for no text', () => {
  expect(t('Done is on the way')).toBe('Done ist unterwegs')
})
