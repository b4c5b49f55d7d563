/** The keys of an object that has no others than its type says. */
export function keysOf<T extends object>(object: T): (keyof T)[] {
  const keys: (keyof T)[] = []
  for (const key in object) keys.push(key)
  return keys
}
