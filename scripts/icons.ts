/** Draws the icons in src/client/public from src/client/icon.svg: `node scripts/icons.ts`. The result is committed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { PNG } from 'pngjs'
import { findBrowser } from '../test/e2e/support/find-browser.ts'

const client = fileURLToPath(new URL('../src/client/', import.meta.url))
const svg = readFileSync(`${client}icon.svg`, 'utf8')

/** Systems round the corners themselves, and guarantee only the middle of a maskable icon. */
const square = svg.replace('rx="8"', '')
const maskable = square
  .replace('0 0 32 32', '-6.4 -6.4 44.8 44.8')
  .replace('<rect width="32" height="32"', '<rect x="-7" y="-7" width="46" height="46"')
/** A status bar shows only the shape. */
const shape = svg.replace(/<rect width="32"[^>]*>/u, '').replaceAll(/#(fcb442|f2ead9)/gu, '#fff')

const icons = [
  { name: 'icon-192', size: 192, drawing: svg },
  { name: 'icon-512', size: 512, drawing: svg },
  { name: 'icon-maskable-512', size: 512, drawing: maskable },
  { name: 'apple-touch-icon', size: 180, drawing: square },
  { name: 'badge-96', size: 96, drawing: shape },
]

const { path, env } = findBrowser()
const browser = await chromium.launch({ executablePath: path, env, args: ['--no-sandbox', '--disable-gpu'] })
for (const { name, size, drawing } of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${drawing}`)
  const shot = PNG.sync.read(await page.screenshot({ omitBackground: true }))
  const png = PNG.sync.write(shot, { deflateLevel: 9, deflateStrategy: 0, filterType: 0 })
  writeFileSync(`${client}public/${name}.png`, png)
  console.log(`${name}.png: ${png.length} bytes`)
  await page.close()
}
await browser.close()
