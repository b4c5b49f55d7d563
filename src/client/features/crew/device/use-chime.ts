import { useEffect, useState, useSyncExternalStore } from 'react'
import { useLive } from '../../../api/live/use-live.ts'
import { Chime, type SoundState } from './chime.ts'

/** The screen's chime, and what it can do right now. */
export function useChime(): { chime: Chime; sound: SoundState } {
  const [chime] = useState(() => new Chime())
  useEffect(() => chime.listen(), [chime])
  const sound = useSyncExternalStore(
    (changed) => chime.onChange(changed),
    () => chime.sound,
  )
  return { chime, sound }
}

/** Sounds requests as the owner chose, also when they choose again. */
export function useAlarmSet(chime: Chime): void {
  const live = useLive()
  useEffect(
    () =>
      live.onMessage((message) => {
        if (message.type === 'alarm-set') chime.setAlarmSet(message.alarmSet)
        if (message.type !== 'ack') return
        for (const answer of [message, ...(message.answers ?? [])])
          if (answer.type === 'ack' && answer.alarmSet) chime.setAlarmSet(answer.alarmSet)
      }),
    [live, chime],
  )
}
