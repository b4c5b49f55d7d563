/** The restaurant's local day is counted where its owner signs up. */
export const browserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
