/** What a need of a restaurant's own may show. */
export const needIcons = [
  'allergy',
  'baby',
  'bill',
  'blanket',
  'bread',
  'charger',
  'cleaning',
  'coat',
  'coffee',
  'cutlery',
  'dessert',
  'parking',
  'photo',
  'star',
  'taxi',
  'water',
] as const
export type NeedIcon = (typeof needIcons)[number]
