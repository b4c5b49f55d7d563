import { expect, it } from 'vitest'
import { initialShiftState, type ShiftEvent, shiftReducer } from './shift-flow.ts'

const after = (...events: ShiftEvent[]) => events.reduce(shiftReducer, initialShiftState)
const chosen: ShiftEvent = { type: 'chosen', inShift: false }
const heard: ShiftEvent = { type: 'heard', alertsOn: false }

it('a shift is offered once a name is chosen, and asks whether the sound was heard', () => {
  expect(after(chosen)).toEqual({ started: false, card: 'offer' })
  expect(after(chosen, { type: 'start' })).toEqual({ started: true, card: 'heard?' })
  expect(after(chosen, { type: 'start' }, heard)).toEqual({ started: true, card: 'none' })
})

it('helps when nothing was heard, and tries again', () => {
  const unheard = after(chosen, { type: 'start' }, { type: 'not-heard' })
  expect(unheard).toEqual({ started: true, card: 'unheard' })
  expect(shiftReducer(unheard, { type: 'play-again' })).toEqual({ started: true, card: 'heard?' })
})

it('a shift then asks whether the alert was seen, where alerts are on', () => {
  const asked = after(chosen, { type: 'start' }, { ...heard, alertsOn: true })
  expect(asked).toEqual({ started: true, card: 'seen?' })
  expect(shiftReducer(asked, { type: 'seen' })).toEqual({ started: true, card: 'none' })
  const unseen = shiftReducer(asked, { type: 'not-seen' })
  expect(unseen).toEqual({ started: true, card: 'unseen' })
  expect(shiftReducer(unseen, { type: 'show-again' })).toEqual(asked)
})

it('can be declined: "Not now" leaves the screen as it was', () => {
  expect(after(chosen, { type: 'not-now' })).toEqual(initialShiftState)
})

it('asks once in a shift: after a reload, the tap only brings the sound back', () => {
  const again = after({ type: 'chosen', inShift: true })
  expect(again).toEqual({ started: true, card: 'none' })
  expect(shiftReducer(again, { type: 'start' })).toEqual(again)
})

it('starts over when another name is chosen', () => {
  expect(after(chosen, { type: 'start' }, heard, chosen)).toEqual({
    started: false,
    card: 'offer',
  })
})
