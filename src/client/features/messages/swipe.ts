import { type CSSProperties, type PointerEvent, useRef, useState } from 'react'

/** In pixels: how far it can be dragged, and how far it must be for letting go to mean it. */
const limit = 80
const trigger = 60

export type Swipe = {
  style: CSSProperties
  onPointerDown: (event: PointerEvent) => void
  onPointerMove: (event: PointerEvent) => void
  onPointerUp: () => void
  onPointerCancel: () => void
}

/** Dragging to the left by more than 60 px does it; less slides back. */
export function useSwipeLeft(onSwipe: () => void): Swipe {
  const from = useRef<number | null>(null)
  const [offset, setOffset] = useState(0)
  const release = (): void => {
    from.current = null
    setOffset(0)
  }
  return {
    // The page still scrolls up and down under the finger.
    style: { touchAction: 'pan-y', translate: `${offset}px 0` },
    onPointerDown: ({ clientX, isPrimary, button }) => {
      if (isPrimary && button === 0) from.current = clientX
    },
    onPointerMove: (event) => {
      if (from.current === null) return
      const dragged = Math.max(-limit, Math.min(0, event.clientX - from.current))
      if (dragged < -8) event.currentTarget.setPointerCapture(event.pointerId)
      setOffset(dragged)
    },
    onPointerUp: () => {
      if (from.current !== null && offset < -trigger) onSwipe()
      release()
    },
    onPointerCancel: release,
  }
}
