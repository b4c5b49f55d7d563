/** What guests call somebody: the first word of the name. */
export const firstName = (name: string | null | undefined): string => name?.trim().split(/\s+/u)[0] || 'Crew'
