export type PasswordStrength = 'weak' | 'fair' | 'good' | 'strong'

export const recommendedPasswordLength = 12

/**
 * A rough estimate, made in the browser while the password is typed. The server refuses common passwords whatever this
 * says.
 */
export function passwordStrength(password: string): PasswordStrength {
  const characters = Array.from(password)
  const bits = surprisingCharacters(characters) * Math.log2(alphabetSize(password))
  if (characters.length < 8 || bits < 30) return 'weak'
  if (bits < 48) return 'fair'
  return characters.length < recommendedPasswordLength || bits < 60 ? 'good' : 'strong'
}

/** A character that repeats or continues the one before it, as in 1111 and abcd, adds next to nothing. */
function surprisingCharacters(characters: string[]): number {
  const codes = characters.map((character) => character.codePointAt(0) ?? 0)
  const seen = new Set<number>()
  let count = 0
  for (const [index, code] of codes.entries()) {
    const before = codes[index - 1]
    const expected = before !== undefined && Math.abs(code - before) <= 1
    count += expected ? 0.2 : seen.has(code) ? 0.6 : 1
    seen.add(code)
  }
  return count
}

function alphabetSize(password: string): number {
  const groups: [RegExp, number][] = [
    [/[a-z]/u, 26],
    [/[A-Z]/u, 26],
    [/\d/u, 10],
    [/[ -/:-@[-`{-~]/u, 33],
    [/[^ -~]/u, 100],
  ]
  return groups.reduce((size, [group, more]) => (group.test(password) ? size + more : size), 1)
}
