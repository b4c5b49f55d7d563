import { type CSSProperties, type PointerEvent, useRef, useState } from 'react'
import { clampDrag, isSwipe } from '../../lib/swipe-distance.ts'

type SwipeHandlers = {
  style: CSSProperties
  onPointerDown: (event: PointerEvent) => void
  onPointerMove: (event: PointerEvent) => void
  onPointerUp: () => void
  onPointerCancel: () => void
}

/** Dragging left by more than 60 px triggers `onSwipe`; less slides back. */
export function useSwipeLeft(onSwipe: () => void): SwipeHandlers {
  const from = useRef<number | null>(null)
  /** As of the last move, which may not be rendered yet. */
  const dragged = useRef(0)
  const [offset, setOffset] = useState(0)
  const release = (): void => {
    from.current = null
    dragged.current = 0
    setOffset(0)
  }
  return {
    // Leaves vertical scrolling to the browser.
    style: { touchAction: 'pan-y', translate: `${offset}px 0` },
    onPointerDown: ({ clientX, isPrimary, button, currentTarget, pointerId }) => {
      if (!isPrimary || button !== 0) return
      from.current = clientX
      // A mouse may already be outside at its next move.
      currentTarget.setPointerCapture(pointerId)
    },
    onPointerMove: (event) => {
      if (from.current === null) return
      dragged.current = clampDrag(from.current, event.clientX, 'left')
      setOffset(dragged.current)
    },
    onPointerUp: () => {
      if (from.current !== null && isSwipe(dragged.current)) onSwipe()
      release()
    },
    onPointerCancel: release,
  }
}
