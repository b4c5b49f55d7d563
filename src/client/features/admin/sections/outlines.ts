/** Sections differ by outline, not by hue; after these they start over, and their digits and names tell them apart. */
const outlines = [
  'border-2 border-solid border-rule-strong',
  'border-2 border-dashed border-rule-strong',
  'border-2 border-dotted border-rule-strong',
  'border-4 border-double border-rule-strong',
] as const

/** The outline of the section at this place in the order. */
export const outlineOf = (index: number): string => outlines[index % outlines.length] ?? outlines[0]
