import { expect, it } from 'vitest'
import { defaultAlerts } from '#contract/alerts.ts'
import { toForm, parseForm } from './escalation-form.ts'

const usual = toForm(defaultAlerts)

it('is in seconds on the screen and in milliseconds for the server', () => {
  expect([usual.allAfterMs.general, usual.managerAfterMs.check, usual.acceptMs]).toEqual([
    '20',
    '22.5',
    '180',
  ])
  expect(parseForm(usual)).toEqual({ settings: defaultAlerts })
})

it('reads what people type', () => {
  const typed = { ...usual, allAfterMs: { ...usual.allAfterMs, drinks: ' 12,5 ' } }
  expect(parseForm(typed)).toEqual({
    settings: { ...defaultAlerts, allAfterMs: { ...defaultAlerts.allAfterMs, drinks: 12_500 } },
  })
})

it.each([
  ['', 'Please enter a number'],
  ['soon', 'Please enter a number'],
  ['4', 'Please choose at least 5 seconds'],
  ['1801', 'Please choose at most 30 minutes'],
])('says what is wrong with %j, and where', (food, message) => {
  const typed = { ...usual, managerAfterMs: { ...usual.managerAfterMs, food } }
  expect(parseForm(typed)).toEqual({ problem: { field: 'managerAfterMs.food', message } })
})

it('alerts no manager before the crew', () => {
  const typed = { ...usual, managerAfterMs: { ...usual.managerAfterMs, check: '9' } }
  expect(parseForm(typed)).toEqual({
    problem: { field: 'managerAfterMs.check', message: 'The manager cannot be alerted before the crew' },
  })
})
