import { useEffect, useState, useSyncExternalStore } from 'react'
import { Chime, type Sound } from './chime.ts'

/** The screen's chime, and what it can do right now. */
export function useSound(): { chime: Chime; sound: Sound } {
  const [chime] = useState(() => new Chime())
  useEffect(() => chime.listen(), [chime])
  const sound = useSyncExternalStore(
    (changed) => chime.onChange(changed),
    () => chime.sound,
  )
  return { chime, sound }
}
