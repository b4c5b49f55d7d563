/**
 * Names a text of the guest page in the catalogue that comes with the page, shorter than the text itself. A test proves
 * that no two of them have the same.
 */
export function textKey(text: string): string {
  let hash = 7
  for (let index = 0; index < text.length; index++) hash = (hash * 31 + text.charCodeAt(index)) % 46_656
  return hash.toString(36)
}
