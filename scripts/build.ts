/**
 * Builds the client into dist: `client/` (what the browser gets, precompressed), `server/guest-server.js` (the
 * guest page's server render), `server/tap-queue.js`, `card-script.js` and `blank-page.js` (inline scripts) and
 * `manifest.json` (see `Manifest`); and beside the client the page for developers. Does nothing if nothing changed.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Manifest as ViteManifest } from 'vite'
import type { KeptPage } from '../vite.config.ts'
import { replaceFolder } from './replace-folder.ts'

export type Manifest = {
  /** Paths below dist/client, which are also the paths of their URLs. */
  guest: { script: string; css: string; ownNeedsScript: string; entryScript: string }
  /** The output of each build, by source file below src/client. */
  chunks: { guest: ViteManifest; staff: ViteManifest }
}

/** `--quick`: for development, where a few more bytes do not matter. */
const quick = process.argv.includes('--quick')

const entries = [
  'app/guest.tsx',
  'app/guest-server.tsx',
  'app/guest-worker.ts',
  'index.html',
  'app/service-worker.ts',
  'app/staff.tsx',
].map((name) => `src/client/${name}`)
const inputs = [
  'src/{client,contract}/**/*.*',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
  'scripts/build.ts',
  'scripts/replace-folder.ts',
  'scripts/developers/*.*',
  'examples/*.*',
]

/** A hash of everything that the client is built from. */
function sourceStamp(): string {
  const hash = createHash('sha256').update(
    `${quick ? 'quick' : 'small'} ${process.env['GUEST_RUNTIME'] ?? ''}`,
  )
  for (const file of globSync(inputs, { exclude: ['**/*.test.*'] }).toSorted()) {
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

async function build(outDir: string): Promise<void> {
  const { build: bundle } = await import('vite')
  const {
    guestBuild,
    guestServerBuild,
    guestWorkerBuild,
    inlineScriptBuild,
    serviceWorkerBuild,
    staffBuild,
  } = await import('../vite.config.ts')
  const { writeDeveloperPages } = await import('./developers/write.ts')
  const client = join(outDir, 'client')
  const manifestOf = async (): Promise<ViteManifest> => {
    const file = join(client, '.vite/manifest.json')
    const manifest: ViteManifest = JSON.parse(await readFile(file, 'utf8'))
    rmSync(join(client, '.vite'), { recursive: true })
    return manifest
  }
  await bundle(guestBuild(client))
  const guest = await manifestOf()
  await bundle(staffBuild(client))
  const staff = await manifestOf()
  await bundle(
    serviceWorkerBuild(client, crewPageOf(staff, await readFile(join(client, 'index.html'), 'utf8'))),
  )
  const script = guest['app/guest.tsx']?.file
  const css = guest['style.css']?.file
  const ownNeedsScript = guest['features/guest/menu/own-needs-part.tsx']?.file
  const entryScript = guest['features/guest/entry/entry-steps-part.tsx']?.file
  if (!script || !css || !ownNeedsScript || !entryScript)
    throw new Error('src/client/app/guest.tsx must be a script that imports its CSS and its parts')
  await bundle(guestWorkerBuild(client, guestPageOf(guest)))
  await bundle(guestServerBuild(join(outDir, 'server')))
  await bundle(inlineScriptBuild(join(outDir, 'server'), 'tap-queue'))
  await bundle(inlineScriptBuild(join(outDir, 'server'), 'card-script'))
  await bundle(inlineScriptBuild(join(outDir, 'server'), 'blank-page'))
  await writeDeveloperPages(client)

  const manifest: Manifest = { guest: { script, css, ownNeedsScript, entryScript }, chunks: { guest, staff } }
  await writeFile(join(outDir, 'manifest.json'), JSON.stringify(manifest, null, 2))
  await Promise.all(
    globSync('**/*.{js,css,html,svg,json,webmanifest,txt,wasm}', { cwd: client }).map((file) =>
      compress(join(client, file)),
    ),
  )
}

/** What only owners and managers see, on whatever screen. */
const forOwners = /^app\/(?:commands|owners)\//u

/** All that the crew's page may load: what every page needs, and the screen with its lazy parts for crews. */
function crewPageOf(chunks: ViteManifest, html: string): KeptPage {
  const files = filesOf(chunks, {
    'index.html': false,
    'app/crew.tsx': true,
    'ui/toast/toast-viewport.tsx': true,
  })
  return { version: versionOf(html, ...files), files }
}

/** What the guest page needs at once; fonts for rare letters come from the network. */
function guestPageOf(chunks: ViteManifest): KeptPage {
  const files = filesOf(chunks, { 'app/guest.tsx': false }).filter((file) => !/\.css$|-ext-/u.test(file))
  return { version: versionOf(...files), files }
}

const versionOf = (...parts: string[]): string =>
  createHash('sha256').update(parts.join()).digest('hex').slice(0, 12)

/** Of entries, with or without their lazy parts. */
function filesOf(chunks: ViteManifest, entries: Record<string, boolean>): string[] {
  const visited = new Set<string>()
  function visit(key: string, withLazyParts: boolean): void {
    const chunk = chunks[key]
    if (!chunk || visited.has(key)) return
    visited.add(key)
    chunk.imports?.forEach((imported) => visit(imported, withLazyParts))
    if (!withLazyParts) return
    for (const part of chunk.dynamicImports ?? []) if (!forOwners.test(part)) visit(part, true)
  }
  for (const [key, withLazyParts] of Object.entries(entries)) visit(key, withLazyParts)
  const files = [...visited].flatMap((key) => {
    const { file = '', css = [], assets = [] } = chunks[key] ?? {}
    return [file, ...css, ...assets].map((path) => `/${path}`)
  })
  return [...new Set(files)]
}

/** Writes `file.br` and `file.gz` as small as possible: they are created once and served often. */
async function compress(file: string): Promise<void> {
  const content = await readFile(file)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quick ? 4 : constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  }
  await Promise.all([
    writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params })),
    writeFile(`${file}.gz`, await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION })),
  ])
}

async function main(): Promise<void> {
  const missing = entries.filter((entry) => !existsSync(entry))
  if (missing.length > 0) throw new Error(`${missing.join(', ')} missing`)
  const stamp = sourceStamp()
  if (existsSync('dist/.stamp') && readFileSync('dist/.stamp', 'utf8') === stamp) return
  await replaceFolder(join(process.cwd(), 'dist'), async (fresh) => {
    await build(fresh)
    await writeFile(join(fresh, '.stamp'), stamp)
  })
}

process.chdir(join(import.meta.dirname, '..'))
process.env['NODE_ENV'] = 'production'
main().catch((error: unknown) => {
  console.error(`The client could not be built: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
})
