let segmenter: Intl.Segmenter | undefined

/** What people call a character: an emoji with its skin, a letter with its accents, a flag. */
function* graphemes(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter()
  for (const { segment } of segmenter.segment(text)) yield segment
}

const maxBytesPerCharacter = 6

/**
 * At most so many characters as people count them. A character can be of any length, so there is a limit in bytes
 * too; within it every alphabet has room, and a restaurant's and a table's name together fit into a QR code.
 */
export function hasAtMostCharacters(text: string, max: number): boolean {
  if (text.length <= max) return true
  const mostBytes = max * maxBytesPerCharacter
  if (text.length > mostBytes || new TextEncoder().encode(text).length > mostBytes) return false
  let count = 0
  for (const _ of graphemes(text)) if (++count > max) return false
  return true
}

/** So much of a text as `length` takes, cut between characters and marked where. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text
  let kept = ''
  for (const character of graphemes(text)) {
    if (kept.length + character.length > length) break
    kept += character
  }
  return `${kept}…`
}
