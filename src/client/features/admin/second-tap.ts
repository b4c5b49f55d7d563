/**
 * Whether a click, by its `detail`, belongs to the tap before it. Where each tap takes something away, the second
 * one of a double tap would take what moved up to that place.
 */
export const isSecondTap = (detail: number): boolean => detail > 1
