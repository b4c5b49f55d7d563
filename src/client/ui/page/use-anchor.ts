import { type RefObject, useEffect, useRef } from 'react'
import { useLocationProperty } from 'wouter/use-browser-location'

const readHash = (): string => location.hash

/** For what an address may name (`#opening-hours`): it takes the focus as soon as both are there. */
export function useAnchor<T extends HTMLElement>(name: string | undefined): RefObject<T | null> {
  const element = useRef<T>(null)
  const hash = useLocationProperty(readHash)
  const isNamed = name !== undefined && hash === `#${name}`
  useEffect(() => {
    if (isNamed) element.current?.focus()
  }, [isNamed])
  return element
}
