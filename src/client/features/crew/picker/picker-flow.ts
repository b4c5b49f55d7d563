/**
 * Who works at this screen. `asking`: a name is chosen and the server has not answered yet; `pin`: the name is protected
 * by a PIN.
 */
export type PickerState =
  | { step: 'nobody' }
  | { step: 'asking'; crewMemberId: string; pin: string | null; before: string | null }
  | { step: 'pin'; crewMemberId: string; problem: string | null; before: string | null }
  | { step: 'chosen'; crewMemberId: string; pin: string | null }

export type PickerEvent =
  | { type: 'choose'; crewMemberId: string }
  | { type: 'enter-pin'; pin: string }
  | { type: 'cancel-pin' }
  | { type: 'accepted' }
  | { type: 'refused'; pinRequired: boolean; message: string }

export const initialPickerState = (crewMemberId: string | null): PickerState =>
  crewMemberId === null ? { step: 'nobody' } : { step: 'asking', crewMemberId, pin: null, before: null }

export function pickerReducer(flow: PickerState, event: PickerEvent): PickerState {
  switch (event.type) {
    case 'choose':
      if (selectedMemberId(flow) === event.crewMemberId) return flow
      return { step: 'asking', crewMemberId: event.crewMemberId, pin: null, before: confirmedMemberId(flow) }
    case 'enter-pin':
      return flow.step === 'pin'
        ? { step: 'asking', crewMemberId: flow.crewMemberId, pin: event.pin, before: flow.before }
        : flow
    case 'cancel-pin':
      return flow.step === 'pin' ? initialPickerState(flow.before) : flow
    case 'accepted':
      return flow.step === 'asking'
        ? { step: 'chosen', crewMemberId: flow.crewMemberId, pin: flow.pin }
        : flow
    case 'refused':
      return handleRefusal(flow, event)
  }
}

function handleRefusal(
  flow: PickerState,
  { pinRequired, message }: PickerEvent & { type: 'refused' },
): PickerState {
  if (flow.step !== 'asking' && flow.step !== 'chosen') return flow
  const before = flow.step === 'asking' ? flow.before : null
  if (!pinRequired) return initialPickerState(before)
  return { step: 'pin', crewMemberId: flow.crewMemberId, problem: flow.pin === null ? null : message, before }
}

export const selectedMemberId = (flow: PickerState): string | null =>
  flow.step === 'asking' || flow.step === 'chosen' ? flow.crewMemberId : null

const confirmedMemberId = (flow: PickerState): string | null =>
  flow.step === 'chosen' ? flow.crewMemberId : null
