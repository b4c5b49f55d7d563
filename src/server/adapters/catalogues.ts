import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cardTexts, guestTexts, renderedTexts } from '#contract/guests/guest-texts.ts'
import { managerNoteTexts } from '#contract/guests/manager-note-texts.ts'
import { parse } from '#contract/parse.ts'
import {
  Catalogue,
  type CatalogueFile,
  type GuestCatalogues,
  type Languages,
} from '#contract/texts/catalogue.ts'
import { isRightToLeft } from '#contract/texts/languages.ts'
import { textKey } from '#contract/texts/text-key.ts'

export type Catalogues = {
  languages: Languages
  /** The languages of what owners and managers read. */
  portalLanguages: Languages
  files: readonly CatalogueFile[]
}

/** The operator can correct it; the message says where. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError'
}

const maxFileBytes = 1_000_000

/**
 * Reads the JSON files of folders. A later folder adds languages, and replaces single texts of an earlier one's. The
 * portals also say what the crew's screens say, so theirs is both in one file; there are only languages that have texts
 * of the portals.
 */
export function readCatalogues(
  folders: readonly string[],
  portalFolders: readonly string[] = [],
): Catalogues {
  const staff = readFolders(folders)
  const crews = staff.map((catalogue) => ({ ...catalogue, file: toFile('/catalogues', catalogue) }))
  const portals = readFolders(portalFolders).map((catalogue) => {
    const shared = staff.find(({ language }) => language === catalogue.language)
    const texts = { ...shared?.texts, ...catalogue.texts }
    return { ...catalogue, file: toFile('/catalogues/portals', { ...catalogue, texts }) }
  })
  return {
    languages: toLanguages(crews),
    portalLanguages: toLanguages(portals),
    files: [...crews, ...portals].map(({ file }) => file),
  }
}

/** The guest page's, from folders of the same kind. */
export function readGuestCatalogues(folders: readonly string[]): GuestCatalogues {
  const english = { language: 'en', name: 'English', texts: {} }
  const sorted = [english, ...readFolders(folders)].toSorted((a, b) => a.name.localeCompare(b.name))
  return new Map(
    sorted.map(({ language, name, texts }: Pick<Catalogue, 'language' | 'name' | 'texts'>) => [
      language,
      {
        name,
        texts: byKey(guestTexts, texts),
        noteTexts: byKey(managerNoteTexts, texts),
        cardTexts: byKey(cardTexts, texts),
        renderedTexts: byKey(renderedTexts, texts),
      },
    ]),
  )
}

/** As a page gets them: with the English texts as keys it would be half as large again. */
const byKey = (keys: readonly string[], texts: Catalogue['texts']): Catalogue['texts'] =>
  Object.fromEntries(
    keys.flatMap((text) => {
      const translation = texts[text]
      return translation === undefined ? [] : [[textKey(text), translation]]
    }),
  )

function readFolders(folders: readonly string[]): Catalogue[] {
  const catalogues = new Map<string, Catalogue>()
  for (const catalogue of folders.flatMap(readFolder)) {
    const before = catalogues.get(catalogue.language)
    catalogues.set(catalogue.language, { ...catalogue, texts: { ...before?.texts, ...catalogue.texts } })
  }
  return [...catalogues.values()].toSorted((a, b) => a.language.localeCompare(b.language))
}

const toLanguages = (catalogues: readonly (Catalogue & { file: CatalogueFile })[]): Languages =>
  Object.fromEntries(catalogues.map(({ language, name, file }) => [language, { name, url: file.url }]))

function readFolder(folder: string): Catalogue[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
    return names.toSorted().map((name) => readCatalogue(join(folder, name)))
  } catch (error) {
    if (error instanceof CatalogueError) throw error
    throw new CatalogueError(`The catalogues in ${folder} cannot be read`, { cause: error })
  }
}

function readCatalogue(path: string): Catalogue {
  if (statSync(path).size > maxFileBytes) throw new CatalogueError(`${path} is too large`)
  const parsed = parse(Catalogue, parseJson(path))
  if (!parsed.ok) throw new CatalogueError(`${path}: ${parsed.message}`)
  const { language, texts } = parsed.value
  return { ...parsed.value, texts: isRightToLeft(language) ? isolateValues(texts) : texts }
}

type Translation = Catalogue['texts'][string]

/** Among letters that run from right to left, the table 12-A would read A-12. */
function isolateValues(texts: Catalogue['texts']): Catalogue['texts'] {
  const isolate = (text: string): string => text.replaceAll(/\{\w+\}/gu, '\u2068$&\u2069')
  const isolateForms = (translation: Translation): Translation => {
    if (typeof translation === 'string') return isolate(translation)
    const forms = Object.entries(translation).map(([form, text = '']) => [form, isolate(text)] as const)
    return { ...Object.fromEntries(forms), other: isolate(translation.other) }
  }
  return Object.fromEntries(
    Object.entries(texts).map(([key, translation]) => [key, isolateForms(translation)]),
  )
}

function parseJson(path: string): unknown {
  // Some editors mark UTF-8 at a file's beginning.
  const json = readFileSync(path, 'utf8').replace(/^\uFEFF/u, '')
  try {
    return JSON.parse(json)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const reason = error.message.replace(/,? (?:in JSON |after JSON )?(?:at position|"|\.\.\.").*/su, '')
    const line = brokenLine(json, error)
    throw new CatalogueError(`${path} is not valid JSON in line ${line}: ${reason}`, { cause: error })
  }
}

/** From 1. What begins no value has no position in the message, so its line is the first that brings that message. */
function brokenLine(json: string, { message }: Error): number {
  const [, position] = /at position (\d+)/u.exec(message) ?? []
  if (position !== undefined) return json.slice(0, Number(position)).split('\n').length
  const lines = json.split('\n')
  let [whole, broken] = [0, lines.length]
  while (broken - whole > 1) {
    const middle = (whole + broken) >> 1
    const part = `${lines.slice(0, middle).join('\n')}\n`
    if (syntaxErrorIn(part).startsWith('Unexpected token')) broken = middle
    else whole = middle
  }
  return broken
}

/** Empty if there is none. */
function syntaxErrorIn(json: string): string {
  try {
    JSON.parse(json)
    return ''
  } catch (error) {
    return error instanceof SyntaxError ? error.message : ''
  }
}

function toFile(folder: string, { language, texts }: Catalogue): CatalogueFile {
  const json = JSON.stringify({ language, texts })
  const hash = createHash('sha256').update(json).digest('base64url').slice(0, 10)
  return { url: `${folder}/${language}-${hash}.json`, json }
}
