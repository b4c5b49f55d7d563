/** The person whose credentials a row holds. */
export type Subject = { restaurantId: string; kind: 'owner' | 'manager'; id: string }

/** The columns that identify their rows. */
export const subjectKey = ({ restaurantId, kind, id: subjectId }: Subject) => ({
  restaurantId,
  kind,
  subjectId,
})
