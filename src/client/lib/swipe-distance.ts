/** In pixels: how far something can be dragged sideways, and how far it must be for a swipe. */
const maxDistance = 80
const triggerDistance = 60
/** A tapping finger moves a little too. */
const tapSlop = 8

type Direction = 'left' | 'right'

/** The offset under the pointer, only in the given direction and up to the limit. */
export function clampDrag(from: number, to: number, direction: Direction): number {
  return direction === 'left'
    ? Math.max(-maxDistance, Math.min(0, to - from))
    : Math.min(maxDistance, Math.max(0, to - from))
}

export const isDragged = (offset: number): boolean => Math.abs(offset) > tapSlop
export const isSwipe = (offset: number): boolean => Math.abs(offset) > triggerDistance
