// @vitest-environment jsdom
import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { OpeningHours } from '#contract/guests/opening.ts'
import { CardPage } from './card-page.tsx'

/** What the card says of each day. */
function shown(hours: OpeningHours, language = 'en'): string[] {
  const card = { restaurantName: 'Bar', tableNumber: '4', menu: '', pay: '', wifi: null, hours, today: 0 }
  render(<CardPage card={card} back={{ r: 'Bar', t: '4' }} language={language} />)
  return [...document.querySelectorAll('td')].map(({ textContent }) => textContent.replaceAll('\u00A0', ' '))
}

const allDay = (time: string) => [{ from: time, to: time }]

it('says in words that it is open all day', () => {
  expect(shown(Array.from({ length: 7 }, () => allDay('06:00')))).toEqual(
    Array.from({ length: 7 }, () => 'Open all day'),
  )
})

it('says when it opens on a day before which it is closed', () => {
  const friday = [{ from: '18:00', to: '02:00' }]
  expect(shown([allDay('06:00'), allDay('06:00'), [], allDay('00:00'), friday, allDay('06:00'), []])).toEqual(
    [
      '6:00 AM–6:00 AM',
      'Open all day',
      'Closed',
      'Open all day',
      '6:00 PM–2:00 AM',
      '6:00 AM–6:00 AM',
      'Closed',
    ],
  )
})

it.each([
  ['de', '06:30–09:00'],
  ['es', '6:30–9:00'],
])('writes times as its language does: %s', (language, hours) => {
  const morning = [{ from: '06:30', to: '09:00' }]
  expect(
    shown(
      Array.from({ length: 7 }, () => morning),
      language,
    ),
  ).toEqual(Array.from({ length: 7 }, () => hours))
})
