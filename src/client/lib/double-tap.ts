/**
 * Whether a click, by its `detail`, belongs to the tap before it. Where a tap changes what stands under the
 * finger, the second one of a double tap would go to what came to that place.
 */
export const isDoubleTap = (detail: number): boolean => detail > 1
