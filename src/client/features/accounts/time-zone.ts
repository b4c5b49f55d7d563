/** The restaurant's local day is counted where its owner signs up. */
export const ownTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
