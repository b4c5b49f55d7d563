import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'
import type { GuestBundle } from './http/guest-html.ts'

const Manifest = v.object({ guest: v.object({ script: v.string(), css: v.string() }) })

/** Reads what `npm run build` left in `dist`. */
export async function loadGuestBundle(dist: string): Promise<GuestBundle> {
  const text = (file: string): Promise<string> => readFile(join(dist, file), 'utf8')
  const { guest } = v.parse(v.pipe(v.string(), v.parseJson(), Manifest), await text('manifest.json'))
  const server: { render: GuestBundle['render'] } = await import(
    pathToFileURL(join(dist, 'server/guest-server.js')).href
  )
  return {
    render: server.render,
    css: (await text(`client/${guest.css}`)).trim(),
    tapQueue: (await text('server/tap-queue.js')).trim(),
    script: `/${guest.script}`,
  }
}
