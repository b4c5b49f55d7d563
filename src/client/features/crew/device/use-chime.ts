import { useEffect, useState, useSyncExternalStore } from 'react'
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
