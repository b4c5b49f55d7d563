import { useCallback, useEffect, useMemo, useReducer } from 'react'
import type { Push } from '../../api/push.ts'
import { usePush } from '../../api/use-push.ts'
import { forget, recall, remember } from '../../lib/browser-storage.ts'
import { localDate } from '../../lib/dates.ts'
import { type Awake, useWakeLock } from '../../lib/wake-lock.ts'
import type { Chime, Sound } from './chime.ts'
import { noShift, type ShiftEvent, type ShiftFlow, shiftFlow } from './shift-flow.ts'

export type Shift = {
  flow: ShiftFlow
  chime: Chime
  sound: Sound
  push: Push
  /** Whether the screen is kept lit. */
  awake: Awake
  dispatch: (event: ShiftEvent) => void
  /** To be called from a tap: sound, alerts and a lit screen, as far as the device gives them. */
  start: () => void
  /** The device rings no more, and nobody's name is on it. */
  end: () => Promise<void>
  switchPush: (on: boolean) => void
}

const keyOf = (crewMemberId: string): `shift_${string}` => `shift_${crewMemberId}`
const today = (): string => localDate(Date.now())

/** The shift of who is chosen at this screen; `asking` while the server has not said yet whether it may be so. */
export function useShift(
  crewMemberId: string | null,
  asking: boolean,
  { chime, sound }: { chime: Chime; sound: Sound },
): Shift {
  const { push, switchOn, switchOff } = usePush(asking ? undefined : crewMemberId, 'crew')
  const [flow, dispatch] = useReducer(shiftFlow, noShift)
  const awake = useWakeLock(flow.started)

  useEffect(() => {
    if (crewMemberId === null) return
    dispatch({ type: 'chosen', startedToday: recall(keyOf(crewMemberId)) === today() })
  }, [crewMemberId])

  const start = useCallback(() => {
    void chime.start()
    void switchOn()
    if (crewMemberId !== null) remember(keyOf(crewMemberId), today())
    dispatch({ type: 'start' })
  }, [chime, switchOn, crewMemberId])

  const end = useCallback(async () => {
    if (crewMemberId !== null) forget(keyOf(crewMemberId))
    for (const key of ['crew-member-id', 'crewMemberId', 'crewMemberName', 'crewRole'] as const) forget(key)
    await switchOff()
  }, [switchOff, crewMemberId])

  const switchPush = useCallback((on: boolean) => void (on ? switchOn() : switchOff()), [switchOn, switchOff])

  return useMemo(
    () => ({ flow, chime, sound, push, awake, dispatch, start, end, switchPush }),
    [flow, chime, sound, push, awake, start, end, switchPush],
  )
}
