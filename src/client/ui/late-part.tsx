import { type ComponentType, type JSX, type ReactNode, useCallback, useEffect, useState } from 'react'

/**
 * A part of a screen whose code comes in a file of its own. What keeps that away must not take the rest of the
 * screen along: until it is there, `instead` stands in its place, which may ask for it again.
 */
export function lazyWithFallback<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  instead: (failed: boolean, again: () => void) => ReactNode,
): ComponentType<Props> {
  let known: ComponentType<Props> | null = null
  return function Part(props: Props): JSX.Element {
    const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(() => known)
    const [failed, setFailed] = useState(false)
    const fetchPart = useCallback(async (): Promise<boolean> => {
      setFailed(false)
      try {
        const part = await load()
        known = part
        setLoaded(() => part)
        return true
      } catch {
        setFailed(true)
        return false
      }
    }, [])
    useEffect(() => {
      if (!known) void fetchPart()
    }, [fetchPart])
    const again = async (): Promise<void> => {
      // Some browsers keep a failed file for as long as the page is open.
      if (!(await fetchPart()) && (await isPageReachable())) location.reload()
    }
    if (Loaded) return <Loaded {...props} />
    return <>{instead(failed, () => void again())}</>
  }
}

/** Whether there is a new page to be had: one that works must not be given up for the browser's own complaint. */
const isPageReachable = (): Promise<boolean> =>
  fetch(location.href, { headers: { accept: 'text/html' } }).then(
    ({ ok }) => ok,
    () => false,
  )
