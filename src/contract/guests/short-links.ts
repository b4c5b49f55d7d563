/** Letters and digits that nobody takes for one another, in print or by ear. */
export const shortLinkAlphabet = '23456789ACDEFGHJKMNPQRTWXY'

export const shortLinkLength = 8

const shortCodePattern = new RegExp(`^[${shortLinkAlphabet}]{${shortLinkLength}}$`, 'u')

const lookAlikes: Record<string, string> = { S: '5', Z: '2', B: '8' }

/** As typed, with spaces, hyphens and full stops anywhere; null for anything that no link has. */
export function readShortCode(typed: string): string | null {
  const code = typed
    .toUpperCase()
    .replace(/[\s\p{P}]/gu, '')
    .replace(/[SZB]/gu, (letter) => lookAlikes[letter] ?? letter)
  return shortCodePattern.test(code) ? code : null
}

/** In two halves, as it is printed. */
export const printShortCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`
