/**
 * Who works at this screen. `asking`: the name is chosen and the server has not answered yet;
 * `pin`: the name is protected.
 */
export type PickerFlow =
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

export const pickerStart = (crewMemberId: string | null): PickerFlow =>
  crewMemberId === null ? { step: 'nobody' } : { step: 'asking', crewMemberId, pin: null, before: null }

export function pickerFlow(flow: PickerFlow, event: PickerEvent): PickerFlow {
  switch (event.type) {
    case 'choose':
      if (crewMemberOf(flow) === event.crewMemberId) return flow
      return { step: 'asking', crewMemberId: event.crewMemberId, pin: null, before: confirmedOf(flow) }
    case 'enter-pin':
      return flow.step === 'pin'
        ? { step: 'asking', crewMemberId: flow.crewMemberId, pin: event.pin, before: flow.before }
        : flow
    case 'cancel-pin':
      return flow.step === 'pin' ? pickerStart(flow.before) : flow
    case 'accepted':
      return flow.step === 'asking'
        ? { step: 'chosen', crewMemberId: flow.crewMemberId, pin: flow.pin }
        : flow
    case 'refused':
      return refused(flow, event)
  }
}

function refused(flow: PickerFlow, { pinRequired, message }: PickerEvent & { type: 'refused' }): PickerFlow {
  if (flow.step !== 'asking' && flow.step !== 'chosen') return flow
  const before = flow.step === 'asking' ? flow.before : null
  if (!pinRequired) return pickerStart(before)
  return { step: 'pin', crewMemberId: flow.crewMemberId, problem: flow.pin === null ? null : message, before }
}

/** Whose name stands on the screen. */
export const crewMemberOf = (flow: PickerFlow): string | null =>
  flow.step === 'asking' || flow.step === 'chosen' ? flow.crewMemberId : null

const confirmedOf = (flow: PickerFlow): string | null => (flow.step === 'chosen' ? flow.crewMemberId : null)
