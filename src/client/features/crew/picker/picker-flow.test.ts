import { describe, expect, it } from 'vitest'
import {
  type PickerEvent,
  type PickerState,
  selectedMemberId,
  pickerReducer,
  initialPickerState,
} from './picker-flow.ts'

const after = (start: PickerState, ...events: PickerEvent[]): PickerState =>
  events.reduce(pickerReducer, start)
const choose = (crewMemberId: string): PickerEvent => ({ type: 'choose', crewMemberId })
const pinRequired = (message: string): PickerEvent => ({ type: 'refused', pinRequired: true, message })

describe('choosing a name', () => {
  it('asks the server, and holds once it has accepted', () => {
    const asked = after(initialPickerState(null), choose('maya'))
    expect(selectedMemberId(asked)).toBe('maya')
    expect(after(asked, { type: 'accepted' })).toEqual({ step: 'chosen', crewMemberId: 'maya', pin: null })
  })

  it('asks for the PIN, says when it is wrong, and keeps it for reconnections', () => {
    const asked = after(initialPickerState(null), choose('maya'), pinRequired('Please enter your PIN'))
    expect(asked).toEqual({ step: 'pin', crewMemberId: 'maya', problem: null, before: null })
    const wrong = after(asked, { type: 'enter-pin', pin: '1111' }, pinRequired('Wrong PIN'))
    expect(wrong).toEqual({ step: 'pin', crewMemberId: 'maya', problem: 'Wrong PIN', before: null })
    expect(after(wrong, { type: 'enter-pin', pin: '2222' }, { type: 'accepted' })).toEqual({
      step: 'chosen',
      crewMemberId: 'maya',
      pin: '2222',
    })
  })

  it('returns to the previous name when the PIN is cancelled or the name is refused', () => {
    const leo = after(initialPickerState(null), choose('leo'), { type: 'accepted' })
    expect(selectedMemberId(after(leo, choose('maya'), pinRequired(''), { type: 'cancel-pin' }))).toBe('leo')
    const refused: PickerEvent = { type: 'refused', pinRequired: false, message: 'Not allowed' }
    expect(selectedMemberId(after(leo, choose('maya'), refused))).toBe('leo')
    expect(after(initialPickerState('gone'), refused)).toEqual({ step: 'nobody' })
  })
})
