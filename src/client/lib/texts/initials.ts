/** The first letters of the first two words. */
export function initials(name: string): string {
  const characters = new Intl.Segmenter()
  return name
    .split(/\s+/u)
    .slice(0, 3)
    .flatMap((word) => Array.from(characters.segment(word), ({ segment }) => segment).slice(0, 1))
    .slice(0, 2)
    .join('')
    .toUpperCase()
}
