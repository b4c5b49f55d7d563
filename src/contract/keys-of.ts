/** The typed keys of an object. It must have none that its type does not list. */
/* @__NO_SIDE_EFFECTS__ */
export function keysOf<T extends object>(object: T): (keyof T)[] {
  const keys: (keyof T)[] = []
  for (const key in object) keys.push(key)
  return keys
}
