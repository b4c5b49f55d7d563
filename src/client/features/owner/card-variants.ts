export const variants = {
  sheet: { label: 'A4 sheet', hint: 'Eight cards to a page, to cut out', perPage: 8 },
  tent: { label: 'Table tent', hint: 'An A4 page for each table, folded in the middle', perPage: 1 },
  sticker: { label: 'Sticker', hint: 'For label printers, 62 × 100 mm each', perPage: 1 },
} as const

export type Variant = keyof typeof variants

export const variantNames: readonly Variant[] = ['sheet', 'tent', 'sticker']

export const isVariant = (text: string): text is Variant => Object.hasOwn(variants, text)
