// @vitest-environment jsdom
import { expect, it, onTestFinished } from 'vitest'
import { defaultEscalation } from '#contract/requests/escalation.ts'
import { toForm, parseForm } from './escalation-form.ts'

const defaults = toForm(defaultEscalation)

it('converts between the seconds on the screen and the milliseconds of the server', () => {
  expect([defaults['allAfterMs.general'], defaults['managerAfterMs.check'], defaults.acceptMs]).toEqual([
    '40',
    '22.5',
    '180',
  ])
  expect(parseForm(defaults)).toEqual({ ok: true, value: defaultEscalation })
})

it('shows a decimal comma where the page’s language has one, and reads it again', () => {
  onTestFinished(() => document.documentElement.removeAttribute('lang'))
  document.documentElement.lang = 'de'
  const inGerman = toForm(defaultEscalation)
  expect(inGerman['managerAfterMs.check']).toBe('22,5')
  expect(parseForm(inGerman)).toEqual({ ok: true, value: defaultEscalation })
})

it('accepts surrounding spaces and a decimal comma', () => {
  const typed = { ...defaults, 'allAfterMs.drinks': ' 12,5 ' }
  expect(parseForm(typed)).toEqual({
    ok: true,
    value: { ...defaultEscalation, allAfterMs: { ...defaultEscalation.allAfterMs, drinks: 12_500 } },
  })
})

it.each([
  ['', 'Please enter a number'],
  ['soon', 'Please enter a number'],
  ['1e2', 'Please enter a number'],
  ['0x20', 'Please enter a number'],
  ['4', 'Please choose at least 5 seconds'],
  ['1801', 'Please choose at most 30 minutes'],
])('refuses %j and names the field', (food, message) => {
  const typed = { ...defaults, 'managerAfterMs.food': food }
  expect(parseForm(typed)).toEqual({ ok: false, field: 'managerAfterMs.food', message })
})

it('refuses to alert the manager before the crew', () => {
  const typed = { ...defaults, 'managerAfterMs.check': '9' }
  expect(parseForm(typed)).toEqual({
    ok: false,
    field: 'managerAfterMs.check',
    message: 'The manager cannot be alerted before the crew',
  })
})
