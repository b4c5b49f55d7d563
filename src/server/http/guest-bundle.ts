import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'
import type { GuestPage } from '#contract/visits.ts'

/** What the build made of the guest page. */
export type GuestBundle = {
  /** What stands in `#root`, which the script then takes over. */
  render: (page: GuestPage) => string
  /** Both stand in the page itself. */
  css: string
  tapQueue: string
  /** The app's URL. */
  script: string
  /** The URL of the titles' font. */
  font: string | null
}

const Manifest = v.object({ guest: v.object({ script: v.string(), css: v.string() }) })

/** Reads what `npm run build` left in `dist`. */
export async function loadGuestBundle(dist: string): Promise<GuestBundle> {
  const text = (file: string): Promise<string> => readFile(join(dist, file), 'utf8')
  const { guest } = v.parse(v.pipe(v.string(), v.parseJson(), Manifest), await text('manifest.json'))
  const css = (await text(`client/${guest.css}`)).trim()
  const server: { render: GuestBundle['render'] } = await import(
    pathToFileURL(join(dist, 'server/guest-server.js')).href
  )
  return {
    render: server.render,
    css,
    tapQueue: (await text('server/tap-queue.js')).trim(),
    script: `/${guest.script}`,
    font: /url\(([^)]+\.woff2)\)/.exec(css)?.[1] ?? null,
  }
}
