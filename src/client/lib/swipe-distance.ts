/** In pixels: how far something can be dragged sideways, and how far it must be for letting go to mean it. */
const maxDistance = 80
const triggerDistance = 60
/** A finger that only taps moves too. */
const tapSlop = 8

type Direction = 'left' | 'right'

/** Where it stands under the pointer: never against the way, and never further than the limit. */
export function clampDrag(from: number, to: number, way: Direction): number {
  return way === 'left'
    ? Math.max(-maxDistance, Math.min(0, to - from))
    : Math.min(maxDistance, Math.max(0, to - from))
}

export const isDragged = (offset: number): boolean => Math.abs(offset) > tapSlop
export const isSwipe = (offset: number): boolean => Math.abs(offset) > triggerDistance
