/**
 * Whether a click, by its `detail`, is the second one of a double tap: where the first changes the layout, the second
 * would hit whatever has moved under the finger.
 */
export const isDoubleTap = (detail: number): boolean => detail > 1
