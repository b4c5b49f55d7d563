/**
 * Spreadsheets evaluate a cell that starts like a formula, and guests can choose the names of tables. Where the separator
 * is a semicolon or a tab, as in much of Europe, these and line ends start a new cell even inside our quotes. An
 * apostrophe at every such start keeps it text. An apostrophe that is already there gets another one, so that removing
 * one from each start restores the original.
 */
const formulaStart = /(?<=^|[;\t\r\n])(?=[\s"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|['\t\r\n])/gu

const unquotedPattern = /^[\w:.+ -]*$/u

/** Spreadsheets read a file as UTF-8 only if it starts with this. */
const byteOrderMark = '\uFEFF'

export const csvHeader = (columns: readonly string[]): string => byteOrderMark + csvLine(columns)

export const csvLine = (cells: readonly string[]): string => `${cells.map(escapeCell).join(',')}\r\n`

export function escapeCell(text: string): string {
  const harmless = text.replaceAll(formulaStart, "'")
  return unquotedPattern.test(harmless) ? harmless : `"${harmless.replaceAll('"', '""')}"`
}
