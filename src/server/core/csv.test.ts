import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeCell } from './csv.ts'

/** Reads as spreadsheets do: a quote is special only at the start of a cell. */
function cellsOf(csv: string, separator: string): string[] {
  const cells: string[] = []
  const field = new RegExp(`(?:"((?:[^"]|"")*)")?([^${separator}\\r\\n]*)(?:[${separator}\\r\\n]|$)`, 'gy')
  while (field.lastIndex < csv.length) {
    const [, quoted = '', rest = ''] = field.exec(csv) ?? []
    cells.push(quoted.replaceAll('""', '"') + rest)
  }
  return cells
}

const parts = ['=', '+', '-', '@', '＝', ';', ',', '\t', '\r', '\n', '"', "'", ' ', 'a', '1']
const text = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((found) => found.join(''))

it('gives spreadsheets no formula, whatever separates the cells', () => {
  fc.assert(
    fc.property(text, text, (first, second) => {
      for (const separator of [',', ';', '\t']) {
        for (const found of cellsOf(`x,${escapeCell(first)},${escapeCell(second)}\r\n`, separator))
          expect(found).not.toMatch(/^[\s"]*[=+\-@＝]/u)
      }
    }),
    { numRuns: 2_000 },
  )
})

it('any text can be read back from its cell', () => {
  fc.assert(
    fc.property(text, (given) => {
      const [, read = ''] = cellsOf(`x,${escapeCell(given)}\r\n`, ',')
      expect(read.replaceAll(/(^|[;\t\r\n])'/gu, '$1')).toBe(given)
    }),
    { numRuns: 2_000 },
  )
})

it('leaves harmless text unchanged', () => {
  for (const each of ['Patio 3', '2026-11-22T10:00:00.000+01:00', '']) expect(escapeCell(each)).toBe(each)
  expect(escapeCell('Bar; left')).toBe('"Bar; left"')
})
