/** What a page loads initially, in bytes on the wire (brotli): `node scripts/bundle-sizes.ts` after a build. */
import { readFileSync, statSync } from 'node:fs'
import type { Manifest as Chunks } from 'vite'
import type { Manifest } from './build.ts'

/** The staff app routes whose size is tracked, by the file that `routes.tsx` loads for them. */
const routes = {
  crew: 'app/crew.tsx',
  admin: 'features/admin/admin-portal.tsx',
  management: 'app/management.tsx',
}

type Sizes = { guest: { script: number; css: number; fonts: number } } & Record<keyof typeof routes, number>

const sizeOf = (file: string): number => statSync(`dist/client/${file}`).size
const compressedSize = (file: string): number => sizeOf(`${file}.br`)
const sumOf = (bytes: number[]): number => bytes.reduce((sum, size) => sum + size, 0)

/** The scripts that `keys` need before they run: their own and, transitively, their static imports. */
function scriptsOf(chunks: Chunks, keys: string[]): Set<string> {
  const files = new Set<string>()
  const visit = (key: string): void => {
    const chunk = chunks[key]
    if (!chunk) throw new Error(`${key} is not an entry or lazy route of the build`)
    if (files.has(chunk.file)) return
    files.add(chunk.file)
    chunk.imports?.forEach(visit)
  }
  keys.forEach(visit)
  return files
}

export function measureSizes(): Sizes {
  const { guest, chunks }: Manifest = JSON.parse(readFileSync('dist/manifest.json', 'utf8'))
  const css = readFileSync(`dist/client/${guest.css}`, 'utf8')
  // `-ext` fonts are fetched only for a character in their range.
  const fonts = [...css.matchAll(/url\(\/?([^)]+\.woff2)\)/g)].flatMap(([, file = '']) =>
    file.includes('-ext-') ? [] : [file],
  )
  const staff = (route: string): number =>
    sumOf([...scriptsOf(chunks.staff, ['index.html', route])].map(compressedSize))
  return {
    guest: {
      script: sumOf([...scriptsOf(chunks.guest, ['app/guest.tsx'])].map(compressedSize)),
      css: compressedSize(guest.css),
      fonts: sumOf([...new Set(fonts)].map(sizeOf)),
    },
    crew: staff(routes.crew),
    admin: staff(routes.admin),
    management: staff(routes.management),
  }
}

if (import.meta.main) console.log(measureSizes())
