/**
 * Generates the fonts in src/client/ui/fonts from their packages: `node scripts/fonts.ts`. The result is committed.
 * Rarely used characters are in the `-ext` files, which browsers fetch only when one occurs.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'

const folder = fileURLToPath(new URL('../src/client/ui/fonts/', import.meta.url))
const packages = fileURLToPath(new URL('../node_modules/@fontsource-variable/', import.meta.url))

const characterRange = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)).join('')

const lettersAndDigits = characterRange(0x30, 0x39) + characterRange(0x41, 0x5a) + characterRange(0x61, 0x7a)
const basic = `${lettersAndDigits} .,:;!?'"()&-–’…+/#%`
const accented = characterRange(0xc0, 0xd6) + characterRange(0xd8, 0xf6) + characterRange(0xf8, 0xff)
const lessCommon = `${accented}$*@[\\]^_\`{|}~<=>¡·¿—‘“”•€`
const latin = characterRange(0x20, 0xff) + characterRange(0x2000, 0x206f) + 'ıŒœʻʼˆ˚˜€™↑↓−∕'
const latinExtended =
  characterRange(0x100, 0x2ba) +
  characterRange(0x1e00, 0x1e9f) +
  characterRange(0x20a0, 0x20c0) +
  'ỲỳỴỵỶỷỸỹ†ℓ'

const bricolage = 'bricolage-grotesque/files/bricolage-grotesque-latin-standard-normal.woff2'
// Only kerning and tabular figures: the other features add a tenth of the size and are never used.
const titleOptions = { variationAxes: { wght: 700, wdth: 87, opsz: 24 }, keepFeatures: ['kern', 'tnum'] }
const textOptions = { variationAxes: { wght: { min: 400, max: 700 } } }

const fonts = [
  { name: 'bricolage', source: bricolage, text: basic, options: titleOptions },
  { name: 'bricolage-ext', source: bricolage, text: lessCommon, options: titleOptions },
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

mkdirSync(folder, { recursive: true })
for (const { name, source, text: characters, options } of fonts) {
  const file = readFileSync(packages + source)
  const subset = await subsetFont(file, characters, { targetFormat: 'woff2', noHinting: true, ...options })
  writeFileSync(`${folder}${name}.woff2`, subset)
  console.log(`${name}.woff2: ${subset.length} bytes`)
}
copyFileSync(`${packages}bricolage-grotesque/LICENSE`, `${folder}bricolage-ofl.txt`)
copyFileSync(`${packages}atkinson-hyperlegible-next/LICENSE`, `${folder}atkinson-ofl.txt`)
