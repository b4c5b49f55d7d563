import { afterEach, beforeEach, expect, it } from 'vitest'
import { setCatalogue } from '../lib/texts/translate.ts'
import { nameInLanguage, translateNotification } from './pushed-text.ts'

beforeEach(() =>
  setCatalogue(
    'de',
    new Map([
      ['New Request', 'Neue Anfrage'],
      ['Drinks', 'Getränke'],
      ['Done', 'Erledigt'],
      ['Food ready for pickup', 'Essen ist fertig'],
      ['Message deleted', 'Nachricht gelöscht'],
      ['Table {table}', 'Tisch {table}'],
      ['Table {table} needs service', 'Tisch {table} braucht Service'],
      ['Table {table} · {what} · {count}×', 'Tisch {table} · {what} · {count}×'],
      ['{what} · Table {table}', '{what} · Tisch {table}'],
      ['{name} is on the way', '{name} ist unterwegs'],
      ['Table {from} moved to {to}', 'Tisch {from} ist jetzt {to}'],
      ['Crew', 'Team'],
      ['Table {table} is still waiting', 'Tisch {table} wartet noch'],
      ['{what} · {count} min', '{what} · {count} Min.'],
    ]),
  ),
)
afterEach(() => setCatalogue('en', new Map()))

it.each([
  [
    'request-1',
    'New Request',
    'Table Patio 3 needs service',
    'Neue Anfrage',
    'Tisch Patio 3 braucht Service',
  ],
  ['request-1', 'Still waiting', 'Table 5 · Drinks · 2×', 'Still waiting', 'Tisch 5 · Getränke · 2×'],
  ['request-1', 'Table 5', 'Maya is on the way', 'Tisch 5', 'Maya ist unterwegs'],
  ['request-1', 'Table 5', 'Crew is on the way', 'Tisch 5', 'Team ist unterwegs'],
  ['request-1', 'Table 5', 'Done', 'Tisch 5', 'Erledigt'],
  ['request-1', 'Table 5 moved to Patio 3', 'Drinks', 'Tisch 5 ist jetzt Patio 3', 'Getränke'],
  ['request-1', 'Table 5 is still waiting', 'Drinks · 3 min', 'Tisch 5 wartet noch', 'Getränke · 3 Min.'],
  ['call-1', 'Table 5', 'Food ready for pickup · Table 5', 'Table 5', 'Essen ist fertig · Tisch 5'],
  ['message-a-b', 'Done', 'Food ready for pickup', 'Done', 'Essen ist fertig'],
  ['message-a-b', 'Maya', 'Message deleted', 'Maya', 'Nachricht gelöscht'],
  ['message-a-b', 'Maya', 'Done', 'Maya', 'Done'],
  ['message-a-b', 'Maya', 'Jonas is on the way', 'Maya', 'Jonas is on the way'],
])('of %s says %j, %j', (tag, title, body, translatedTitle, translatedBody) => {
  expect(translateNotification(tag, title, body)).toEqual({ title: translatedTitle, body: translatedBody })
})

it.each([
  [
    'Taxi (Jetzt) · Table 5',
    { name: { de: 'Taxi', ar: 'تاكسي' }, choice: { de: 'Jetzt', ar: 'الآن' } },
    'ar',
    'تاكسي (الآن) · Table 5',
  ],
  ['Taxi · Table 5', { name: { de: 'Taxi', fr: 'Un taxi' } }, 'fr-CA', 'Un taxi · Table 5'],
  [
    'Drinks (Cold) · Table 5',
    { name: 'Drinks', choice: { en: 'Cold', de: 'Kalt' } },
    'de',
    'Getränke (Kalt) · Table 5',
  ],
  ['Taxi · 3 min', { name: { en: 'Taxi', de: 'Taxi rufen' } }, 'de', 'Taxi rufen · 3 min'],
  ['Table 5 needs service', { name: { en: 'Taxi' } }, 'de', 'Table 5 needs service'],
])('of a need says %j in another language', (text, need, language, said) => {
  expect(nameInLanguage(text, need, language)).toBe(said)
})
