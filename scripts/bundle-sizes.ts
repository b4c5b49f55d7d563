/**
 * What a page loads initially, in bytes on the wire (brotli) and in files: `node scripts/bundle-sizes.ts` after a build.
 */
import { readFileSync, statSync } from 'node:fs'
import type { Manifest as Chunks } from 'vite'
import type { Manifest } from './build.ts'

/** The staff app routes whose size is tracked, by the file that `routes.tsx` loads for them. */
const routes = {
  crew: 'app/crew.tsx',
  admin: 'app/admin.tsx',
  management: 'app/management.tsx',
}

type Size = { script: number; css: number; files: number }
type Sizes = { guest: Omit<Size, 'files'> & { fonts: number } } & Record<keyof typeof routes, Size>

const sizeOf = (file: string): number => statSync(`dist/client/${file}`).size
const compressedSize = (file: string): number => sizeOf(`${file}.br`)
const sumOf = (bytes: number[]): number => bytes.reduce((sum, size) => sum + size, 0)

/** What `keys` need before they run: their own files and, transitively, those of their static imports. */
function sizeOfRoutes(chunks: Chunks, keys: string[]): Size {
  const scripts = new Set<string>()
  const styles = new Set<string>()
  const visit = (key: string): void => {
    const chunk = chunks[key]
    if (!chunk) throw new Error(`${key} is not an entry or lazy route of the build`)
    if (scripts.has(chunk.file)) return
    scripts.add(chunk.file)
    chunk.css?.forEach((file) => styles.add(file))
    chunk.imports?.forEach(visit)
  }
  keys.forEach(visit)
  return {
    script: sumOf([...scripts].map(compressedSize)),
    css: sumOf([...styles].map(compressedSize)),
    files: scripts.size + styles.size,
  }
}

export function measureSizes(): Sizes {
  const { guest, chunks }: Manifest = JSON.parse(readFileSync('dist/manifest.json', 'utf8'))
  const css = readFileSync(`dist/client/${guest.css}`, 'utf8')
  // `-ext` fonts are fetched only for a character in their range.
  const fonts = [...css.matchAll(/url\(\/?([^)]+\.woff2)\)/g)].flatMap(([, file = '']) =>
    file.includes('-ext-') ? [] : [file],
  )
  const staff = (...keys: string[]): Size => sizeOfRoutes(chunks.staff, ['index.html', ...keys])
  return {
    guest: {
      script: sizeOfRoutes(chunks.guest, ['app/guest.tsx']).script,
      // Inlined into the page.
      css: compressedSize(guest.css),
      fonts: sumOf([...new Set(fonts)].map(sizeOf)),
    },
    crew: staff(routes.crew),
    admin: staff(routes.admin, 'features/admin/admin-portal.tsx'),
    management: staff(routes.management),
  }
}

if (import.meta.main) console.log(measureSizes())
