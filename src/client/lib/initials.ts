/** The first letters of the first two words. */
export function initials(name: string): string {
  return name
    .split(/\s+/u)
    .flatMap((word) => Array.from(word).slice(0, 1))
    .slice(0, 2)
    .join('')
    .toUpperCase()
}
