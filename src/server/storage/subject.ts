/** Whose credentials a row holds. */
export type Subject = { restaurantId: string; kind: 'owner' | 'manager'; id: string }

/** The columns by which their rows are found. */
export const subjectKey = ({ restaurantId, kind, id: subjectId }: Subject) => ({
  restaurantId,
  kind,
  subjectId,
})
