/** The name shown to guests: the first word. */
export const firstName = (name: string | null | undefined): string => name?.trim().split(/\s+/u)[0] || 'Crew'
