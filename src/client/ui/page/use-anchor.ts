import { type RefObject, useEffect, useRef } from 'react'
import { useLocationProperty } from 'wouter/use-browser-location'

const readHash = (): string => location.hash

/** Whether the address names it, also when it comes to while the page is open. */
export function useIsNamed(name: string | undefined): boolean {
  const hash = useLocationProperty(readHash)
  return name !== undefined && hash === `#${name}`
}

/** For what an address may name (`#opening-hours`): it takes the focus as soon as both are there. */
export function useAnchor<T extends HTMLElement>(name: string | undefined): RefObject<T | null> {
  const element = useRef<T>(null)
  const isNamed = useIsNamed(name)
  useEffect(() => {
    if (isNamed) element.current?.focus()
  }, [isNamed])
  return element
}
