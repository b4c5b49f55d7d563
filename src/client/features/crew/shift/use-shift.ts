import { useCallback, useEffect, useMemo, useReducer, useRef } from 'react'
import type { PushState } from '../../../api/push.ts'
import { usePush } from '../../../api/use-push.ts'
import { removeStored, getStored, setStored } from '../../../lib/browser/browser-storage.ts'
import { type WakeLockState, useWakeLock } from '../../../lib/browser/use-wake-lock.ts'
import type { Chime, SoundState } from '../device/chime.ts'
import { initialShiftState, isInShift, type ShiftEvent, type ShiftState, shiftReducer } from './shift-flow.ts'

export type Shift = {
  flow: ShiftState
  chime: Chime
  sound: SoundState
  push: PushState
  /** The same once the alerts that `start` turned on have an answer, which takes 10 seconds at most. */
  settledPush: () => Promise<PushState>
  wakeLock: WakeLockState
  dispatch: (event: ShiftEvent) => void
  /** Must be called from a tap. Turns on sound, alerts and the wake lock as far as the device allows. */
  start: () => void
  /** Turns alerts off and forgets the name. */
  end: () => Promise<void>
  switchPush: (on: boolean) => void
}

const shiftKey = (crewMemberId: string): `shift_${string}` => `shift_${crewMemberId}`
/** A push service may never answer. */
const pushTimeoutMs = 10_000

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
    dispatch({ type: 'chosen', inShift: isInShift(getStored(shiftKey(crewMemberId)), Date.now()) })
  }, [crewMemberId])

  const switchingOn = useRef<Promise<PushState> | null>(null)
  const start = useCallback(() => {
    void chime.start()
    switchingOn.current = switchOn().finally(() => {
      switchingOn.current = null
    })
    if (crewMemberId !== null) setStored(shiftKey(crewMemberId), String(Date.now()))
    dispatch({ type: 'start' })
  }, [chime, switchOn, crewMemberId])

  const settledPush = useCallback(async () => {
    if (!switchingOn.current) return push
    const timeout = new Promise<PushState>((resolve) => setTimeout(resolve, pushTimeoutMs, push))
    return await Promise.race([switchingOn.current, timeout])
  }, [push])

  const end = useCallback(async () => {
    if (crewMemberId !== null) removeStored(shiftKey(crewMemberId))
    for (const key of ['crew-member-id', 'crewMemberId', 'crewMemberName', 'crewRole'] as const)
      removeStored(key)
    await switchOff()
  }, [switchOff, crewMemberId])

  const switchPush = useCallback((on: boolean) => void (on ? switchOn() : switchOff()), [switchOn, switchOff])

  return useMemo<Shift>(
    () => ({ flow, chime, sound, push, settledPush, wakeLock, dispatch, start, end, switchPush }),
    [flow, chime, sound, push, settledPush, wakeLock, start, end, switchPush],
  )
}
