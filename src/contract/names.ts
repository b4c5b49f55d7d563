/** Stored for whoever acts without a name. */
export const anonymousName = 'Crew'

/** The name shown to guests: the first word. */
export const firstName = (name: string | null | undefined): string =>
  name?.trim().split(/\s+/u)[0] || anonymousName

/** Whoever acts without a name is the crew, in the reader's language. */
export const localName = (name: string, t: (text: string) => string): string =>
  name === anonymousName ? t(anonymousName) : name
