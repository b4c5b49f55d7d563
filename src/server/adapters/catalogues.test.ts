import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readCatalogues } from './catalogues.ts'

function createFolder(files: Record<string, unknown>): string {
  const folder = mkdtempSync(join(tmpdir(), 'catalogues-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return folder
}

const german = {
  language: 'de',
  name: 'Deutsch',
  reviewed: true,
  texts: { Done: 'Erledigt', Back: 'Zurück' },
}

it('takes languages and single texts of the second folder', () => {
  const own = createFolder({ 'de.json': german, 'readme.txt': 'no catalogue' })
  const theirs = createFolder({
    'de.json': { ...german, texts: { Done: 'Fertig' } },
    'eo.json': { language: 'eo', name: 'Esperanto', reviewed: false, texts: { Done: 'Farite' } },
  })
  const { languages, files } = readCatalogues([own, theirs])
  expect(Object.entries(languages).map(([tag, { name }]) => [tag, name])).toEqual([
    ['de', 'Deutsch'],
    ['eo', 'Esperanto'],
  ])
  expect(files.map(({ json }) => JSON.parse(json))).toEqual([
    { language: 'de', texts: { Done: 'Fertig', Back: 'Zurück' } },
    { language: 'eo', texts: { Done: 'Farite' } },
  ])
})

it('gives the portals their texts and those of the crew, in the languages that have theirs', () => {
  const crews = createFolder({
    'de.json': german,
    'tr.json': { language: 'tr', name: 'Türkçe', reviewed: false, texts: { Done: 'Tamam' } },
  })
  const portals = createFolder({
    'de.json': { ...german, texts: { Back: 'Zurück zur Übersicht', Tables: 'Tische' } },
  })
  const { languages, portalLanguages, files } = readCatalogues([crews], [portals])
  expect([Object.keys(languages), Object.keys(portalLanguages)]).toEqual([['de', 'tr'], ['de']])
  const file = files.find(({ url }) => url === portalLanguages['de']?.url)
  expect(file?.url).toMatch(/^\/catalogues\/portals\/de-[\w-]{10}\.json$/u)
  expect(JSON.parse(file?.json ?? '')).toEqual({
    language: 'de',
    texts: { Done: 'Erledigt', Back: 'Zurück zur Übersicht', Tables: 'Tische' },
  })
})

it('sets values apart in a language that runs from right to left, so that table 12-A stays 12-A', () => {
  const texts = {
    'Table {table}': 'طاولة {table}',
    '{count} tables': { one: 'طاولة', other: '{count} طاولة' },
  }
  const readAs = (language: string): unknown => {
    const folder = createFolder({ 'x.json': { ...german, language, texts } })
    return JSON.parse(readCatalogues([folder]).files[0]?.json ?? '').texts
  }
  expect(readAs('ar')).toEqual({
    'Table {table}': 'طاولة \u2068{table}\u2069',
    '{count} tables': { one: 'طاولة', other: '\u2068{count}\u2069 طاولة' },
  })
  expect(readAs('de')).toEqual(texts)
})

it('the address of a catalogue changes with its content, and with nothing else', () => {
  const urlOf = (texts: object): string | undefined =>
    readCatalogues([createFolder({ 'de.json': { ...german, texts } })]).languages['de']?.url
  expect(urlOf({ Done: 'Erledigt' })).toMatch(/^\/catalogues\/de-[\w-]{10}\.json$/u)
  expect(urlOf({ Done: 'Erledigt' })).toBe(urlOf({ Done: 'Erledigt' }))
  expect(urlOf({ Done: 'Erledigt' })).not.toBe(urlOf({ Done: 'Fertig' }))
})

it.each([
  ['no JSON', '{', 'is not valid JSON'],
  ['no language', { ...german, language: 'Deutsch!' }, 'Not a language'],
  ['a language that would be a path', { ...german, language: '../../etc' }, 'Not a language'],
  ['an empty text', { ...german, texts: { Done: '' } }, 'A text is empty'],
  ['a number', { ...german, texts: { Done: 5 } }, 'A translation is a text'],
  ['plural forms without the general one', { ...german, texts: { Done: { one: 'x' } } }, 'de.json: '],
  ['an unknown field', { ...german, html: '' }, 'de.json: '],
  ['a value that English has not', { ...german, texts: { Done: '{name}' } }, '"Done" has no {name}'],
  ['a million texts', `"${'x'.repeat(1_000_001)}"`, 'is too large'],
])('refuses %s, and says where', (_what, content, message) => {
  const folder = createFolder({ 'de.json': content })
  expect(() => readCatalogues([folder])).toThrow(message)
  expect(() => readCatalogues([folder])).toThrow(join(folder, 'de.json'))
})

it.each([
  ['a missing comma', ['{', '"language": "de",', '"name": "Deutsch"', '"reviewed": true', '}'], 4],
  ['a comma too many', ['{', '"texts": {', '"Done": "Erledigt",', '}', '}'], 4],
  ['quotes of a text program', ['{', '"texts": {', '"Done": „Erledigt“,', '"Back": "Zurück"', '}', '}'], 3],
  ['a text that goes on in the next line', ['{', '"Done": "Erle', 'digt"', '}'], 2],
  ['something after its end', ['{}', '', ']'], 3],
  ['an end that is missing', ['{', '"texts": {', '"Done": "Erledigt"', ''], 4],
  ['nothing in it', [''], 1],
])('a catalogue with %s is refused with the line to correct', (_what, lines, line) => {
  const folder = createFolder({ 'de.json': lines.join('\n') })
  expect(() => readCatalogues([folder])).toThrow(
    `${join(folder, 'de.json')} is not valid JSON in line ${line}: `,
  )
})

it('a catalogue that is not JSON is refused with what is wrong in that line, and only that', () => {
  const reasonOf = (json: string): string => {
    try {
      readCatalogues([createFolder({ 'de.json': json })])
      return ''
    } catch (error) {
      return String(error).split(' in line 1: ')[1] ?? ''
    }
  }
  expect(reasonOf('{"a": x}')).toBe("Unexpected token 'x'")
  expect(reasonOf(`{"a": x, "b": "${'y'.repeat(100)}"}`)).toBe("Unexpected token 'x'")
  expect(reasonOf('{"a": 1 "b": 2}')).toBe("Expected ',' or '}' after property value")
  expect(reasonOf('{}}')).toBe('Unexpected non-whitespace character')
})

it('reads a file that begins with a byte-order mark', () => {
  const folder = createFolder({ 'de.json': `\uFEFF${JSON.stringify(german)}` })
  expect(readCatalogues([folder]).languages).toMatchObject({ de: { name: 'Deutsch' } })
})

it('refuses a folder that is not there', () => {
  expect(() => readCatalogues(['/nowhere/at-all'])).toThrow('/nowhere/at-all cannot be read')
})
