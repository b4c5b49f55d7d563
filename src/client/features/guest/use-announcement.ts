import { useEffect, useRef, useState } from 'react'

/** What a screen reader should say now: each standing that is new or has changed, never the first ones. */
export function useAnnouncement(standings: ReadonlyMap<string, string>): string {
  const [announcement, setAnnouncement] = useState('')
  const before = useRef<ReadonlyMap<string, string>>(null)
  useEffect(() => {
    const known = before.current
    before.current = standings
    if (!known) return
    const changed = [...standings].filter(([key, standing]) => known.get(key) !== standing)
    if (changed.length > 0) setAnnouncement(changed.map(([, standing]) => standing).join('. '))
  }, [standings])
  return announcement
}
