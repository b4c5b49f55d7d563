let segmenter: Intl.Segmenter | undefined

/** Characters as readers see them: an emoji with its skin tone, a letter with its accents, a flag. */
function* graphemes(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter()
  for (const { segment } of segmenter.segment(text)) yield segment
}

const maxBytesPerCharacter = 6

/**
 * Limits the number of characters as readers see them. One character can be of any length, so bytes are limited
 * too. That limit suits every alphabet, and the names of a restaurant and a table together fit into a QR code.
 */
export function hasAtMostCharacters(text: string, max: number): boolean {
  if (text.length <= max) return true
  const mostBytes = max * maxBytesPerCharacter
  if (text.length > mostBytes || new TextEncoder().encode(text).length > mostBytes) return false
  return countCharacters(text, max) <= max
}

/** For a text that is too long: the number of bytes that it exceeds, or null when its characters are too many. */
export function findExceededLimit(text: string, max: number): { bytes: number | null } {
  const bytes = max * maxBytesPerCharacter
  return { bytes: countCharacters(text.slice(0, bytes), max) > max ? null : bytes }
}

/** Stops one after `max`. */
function countCharacters(text: string, max: number): number {
  let count = 0
  for (const _ of graphemes(text)) if (++count > max) break
  return count
}

/** Truncates a text to `length` between two characters, and marks the place. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text
  let kept = ''
  for (const character of graphemes(text)) {
    if (kept.length + character.length > length) break
    kept += character
  }
  return `${kept}…`
}
