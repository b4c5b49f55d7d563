/** In pixels: how far something can be dragged sideways, and how far it must be for letting go to mean it. */
const limit = 80
const trigger = 60
/** A finger that only taps moves too. */
const slop = 8

type Way = 'left' | 'right'

/** Where it stands under the pointer: never against the way, and never further than the limit. */
export function draggedTo(from: number, to: number, way: Way): number {
  return way === 'left' ? Math.max(-limit, Math.min(0, to - from)) : Math.min(limit, Math.max(0, to - from))
}

export const isDragged = (offset: number): boolean => Math.abs(offset) > slop
export const isMeant = (offset: number): boolean => Math.abs(offset) > trigger
