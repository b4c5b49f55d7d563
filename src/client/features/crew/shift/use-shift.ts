import { useCallback, useEffect, useMemo, useReducer } from 'react'
import type { PushState } from '../../../api/push.ts'
import { usePush } from '../../../api/use-push.ts'
import { removeStored, getStored, setStored } from '../../../lib/browser-storage.ts'
import { localDate } from '../../../lib/dates.ts'
import { type WakeLockState, useWakeLock } from '../../../lib/use-wake-lock.ts'
import type { Chime, SoundState } from '../device/chime.ts'
import { initialShiftState, type ShiftEvent, type ShiftState, shiftReducer } from './shift-flow.ts'

export type Shift = {
  flow: ShiftState
  chime: Chime
  sound: SoundState
  push: PushState
  wakeLock: WakeLockState
  dispatch: (event: ShiftEvent) => void
  /** Must be called from a tap. Turns on sound, alerts and the wake lock as far as the device allows. */
  start: () => void
  /** Turns alerts off and forgets the name. */
  end: () => Promise<void>
  switchPush: (on: boolean) => void
}

const shiftKey = (crewMemberId: string): `shift_${string}` => `shift_${crewMemberId}`
const todayDate = (): string => localDate(Date.now())

/** The shift of the chosen crew member; `asking` while the server has not confirmed the choice yet. */
export function useShift(
  crewMemberId: string | null,
  asking: boolean,
  { chime, sound }: { chime: Chime; sound: SoundState },
): Shift {
  const { push, switchOn, switchOff } = usePush(asking ? undefined : crewMemberId, 'crew')
  const [flow, dispatch] = useReducer(shiftReducer, initialShiftState)
  const wakeLock = useWakeLock(flow.started)

  useEffect(() => {
    if (crewMemberId === null) return
    dispatch({ type: 'chosen', startedToday: getStored(shiftKey(crewMemberId)) === todayDate() })
  }, [crewMemberId])

  const start = useCallback(() => {
    void chime.start()
    void switchOn()
    if (crewMemberId !== null) setStored(shiftKey(crewMemberId), todayDate())
    dispatch({ type: 'start' })
  }, [chime, switchOn, crewMemberId])

  const end = useCallback(async () => {
    if (crewMemberId !== null) removeStored(shiftKey(crewMemberId))
    for (const key of ['crew-member-id', 'crewMemberId', 'crewMemberName', 'crewRole'] as const)
      removeStored(key)
    await switchOff()
  }, [switchOff, crewMemberId])

  const switchPush = useCallback((on: boolean) => void (on ? switchOn() : switchOff()), [switchOn, switchOff])

  return useMemo<Shift>(
    () => ({ flow, chime, sound, push, wakeLock, dispatch, start, end, switchPush }),
    [flow, chime, sound, push, wakeLock, start, end, switchPush],
  )
}
