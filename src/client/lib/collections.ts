type Entity = { id: string }

/** The same list when there is nothing to remove. */
export const removeById = <T extends Entity>(list: readonly T[], id: string): readonly T[] =>
  list.some((entity) => entity.id === id) ? list.filter((entity) => entity.id !== id) : list

/** With the entity at the end, in place of an earlier version of it. */
export const upsertById = <T extends Entity>(list: readonly T[], entity: T): readonly T[] => [
  ...removeById(list, entity.id),
  entity,
]

export function setWithout(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const rest = new Set(ids)
  rest.delete(id)
  return rest
}
