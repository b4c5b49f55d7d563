/**
 * A spreadsheet computes a cell that begins like a formula, and guests may name tables. Where the separator is a
 * semicolon or a tab, as in much of Europe, these and line ends begin a cell within our quotes too. At each
 * beginning an apostrophe keeps the text a text. One that stands there already gets another in front, so that
 * taking one off each beginning gives back what was written.
 */
const formulaStart = /(?<=^|[;\t\r\n])(?=[\s"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|['\t\r\n])/gu

const unquotedPattern = /^[\w:.+ -]*$/u

export function escapeCell(text: string): string {
  const harmless = text.replaceAll(formulaStart, "'")
  return unquotedPattern.test(harmless) ? harmless : `"${harmless.replaceAll('"', '""')}"`
}
