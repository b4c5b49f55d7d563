/**
 * Names a text of the guest page in the catalogue that comes with the page: always by three characters. A test proves
 * that no two of them have the same.
 */
export function textKey(text: string): string {
  let hash = 7
  for (let index = 0; index < text.length; index++) hash = (hash * 31 + text.charCodeAt(index)) % 45_360
  return (hash + 1_296).toString(36)
}

/** As a page gets them: all keys in a row, then the texts. That is shorter, compressed, than each key beside its text. */
export type PackedTexts<T> = [keys: string, ...texts: T[]]

export const packTexts = <T>(texts: Readonly<Record<string, T>>): PackedTexts<T> => [
  Object.keys(texts).join(''),
  ...Object.values(texts),
]

export const unpackTexts = <T>([keys, ...texts]: PackedTexts<T>): Record<string, T> =>
  Object.fromEntries(texts.map((text, index) => [keys.substring(index * 3, index * 3 + 3), text]))
