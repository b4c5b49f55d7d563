/**
 * Generates the fonts in src/client/ui/fonts from their packages: `node scripts/fonts.ts`. The result is committed.
 * Whatever not every page has is in the `-ext` files, which browsers fetch only when a character of theirs occurs: those
 * of titles by language, since a guest page has one.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'

const folder = fileURLToPath(new URL('../src/client/ui/fonts/', import.meta.url))
const packages = fileURLToPath(new URL('../node_modules/@fontsource-variable/', import.meta.url))

const characterRange = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)).join('')

const lettersAndDigits = characterRange(0x30, 0x39) + characterRange(0x41, 0x5a) + characterRange(0x61, 0x7a)
const punctuation = ` .,:;!?'"()&-–’…+/#%`
// In Polish and Turkish, as in western languages: so each of them needs only one file more.
const shared = 'âçóöüÇÓÖÜ'
const basic = lettersAndDigits + punctuation + shared
const western = 'ÀÁÂÃÄÈÉÊËÌÍÎÏÑÒÔÕÙÚÛàáâãäèéêëìíîïñòôõùúûßŒœ¡¿'
const polish = 'ĄĆĘŁŃŚŹŻąćęłńśźż'
const turkish = 'ĞğİıŞş'
const lessCommon = 'ÅÆØÐÞÝåæøðþýÿ$*@[\\]^_`{|}~<=>·—‘“”•€'
const latin = characterRange(0x20, 0xff) + characterRange(0x2000, 0x206f) + 'ıŒœʻʼˆ˚˜€™↑↓−∕'
const latinExtended =
  characterRange(0x100, 0x2ba) +
  characterRange(0x1e00, 0x1e9f) +
  characterRange(0x20a0, 0x20c0) +
  'ỲỳỴỵỶỷỸỹ†ℓ'

const bricolage = 'bricolage-grotesque/files/bricolage-grotesque-latin-standard-normal.woff2'
const bricolageExtended = 'bricolage-grotesque/files/bricolage-grotesque-latin-ext-standard-normal.woff2'
const titleAxes = { wght: 700, wdth: 87, opsz: 24 }
// Browsers need neither.
const dropTables = ['STAT', 'gasp']
// Only kerning and tabular figures: the other features add a tenth of the size and are never used.
const titleOptions = { variationAxes: titleAxes, keepFeatures: ['kern', 'tnum'], dropTables }
// Characters of different files are never kerned with each other.
const letterOptions = {
  variationAxes: titleAxes,
  keepFeatures: [],
  dropTables: [...dropTables, 'GDEF', 'GPOS', 'GSUB'],
}
// The guest page shows no figures in columns.
const guestOptions = { ...titleOptions, keepFeatures: ['kern'] }
// For names of tables, which get narrower before they get smaller.
const narrowOptions = { ...titleOptions, variationAxes: { ...titleAxes, wdth: 75 } }
const textOptions = { variationAxes: { wght: { min: 400, max: 700 } } }

const fonts = [
  { name: 'bricolage', source: bricolage, text: basic, options: titleOptions },
  { name: 'bricolage-guest', source: bricolage, text: basic, options: guestOptions },
  { name: 'bricolage-ext-western', source: bricolage, text: western, options: letterOptions },
  { name: 'bricolage-ext-polish', source: bricolageExtended, text: polish, options: letterOptions },
  { name: 'bricolage-ext-turkish', source: bricolageExtended, text: turkish, options: letterOptions },
  { name: 'bricolage-ext', source: bricolage, text: lessCommon, options: letterOptions },
  { name: 'bricolage-narrow', source: bricolage, text: basic + western + lessCommon, options: narrowOptions },
  {
    name: 'atkinson',
    source: 'atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-normal.woff2',
    text: latin,
    options: textOptions,
  },
  {
    name: 'atkinson-ext',
    source: 'atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-ext-wght-normal.woff2',
    text: latinExtended,
    options: textOptions,
  },
]

/** Browsers refuse a font without the table, but not an empty one. The notices are in a file of their own. */
function removeNames(font: Buffer): Buffer {
  const tableCount = font.readUInt16BE(4)
  for (let entry = 12; entry < 12 + tableCount * 16; entry += 16)
    if (font.toString('latin1', entry, entry + 4) === 'name')
      font.fill(0, font.readUInt32BE(entry + 8), font.readUInt32BE(entry + 8) + font.readUInt32BE(entry + 12))
  return font
}

mkdirSync(folder, { recursive: true })
for (const { name, source, text: characters, options } of fonts) {
  const file = readFileSync(packages + source)
  const subset = await subsetFont(file, characters, { targetFormat: 'truetype', noHinting: true, ...options })
  const { variationAxes: _, ...rest } = options
  const small = await subsetFont(removeNames(subset), characters, { targetFormat: 'woff2', ...rest })
  writeFileSync(`${folder}${name}.woff2`, small)
  console.log(`${name}.woff2: ${small.length} bytes`)
}
copyFileSync(`${packages}bricolage-grotesque/LICENSE`, `${folder}bricolage-ofl.txt`)
copyFileSync(`${packages}atkinson-hyperlegible-next/LICENSE`, `${folder}atkinson-ofl.txt`)
