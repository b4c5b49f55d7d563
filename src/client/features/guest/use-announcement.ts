import { useEffect, useRef, useState } from 'react'

/**
 * What a screen reader should say now: each standing that is new or has changed, never the first ones. It can be
 * read again later, so nothing is left of a request that is gone.
 */
export function useAnnouncement(standings: ReadonlyMap<string, string>): string {
  const [announced, setAnnounced] = useState<readonly (readonly [key: string, standing: string])[]>([])
  const before = useRef<ReadonlyMap<string, string>>(null)
  useEffect(() => {
    const known = before.current
    before.current = standings
    if (!known) return
    const changed = [...standings].filter(([key, standing]) => known.get(key) !== standing)
    if (changed.length > 0) setAnnounced(changed)
    else setAnnounced((said) => said.filter(([key]) => standings.has(key)))
  }, [standings])
  return announced.map(([, standing]) => standing).join('. ')
}
