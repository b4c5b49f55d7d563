import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { CatalogueFile } from '#contract/texts/catalogue.ts'
import type { HttpServer } from '../server.ts'

/** The staff app's texts in other languages, for everybody: crews choose theirs before they sign in. */
export function mountCatalogues(server: HttpServer, files: readonly CatalogueFile[]): void {
  for (const { url, json } of files) {
    let compressed: Promise<Buffer> | undefined
    server.get(url, async ({ headers }, reply) => {
      void reply.headers({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      })
      if (!/\bbr\b/u.test(headers['accept-encoding'] ?? '')) return reply.send(json)
      // Few are ever asked for, so starting a server does not wait for them.
      compressed ??= promisify(brotliCompress)(json, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
      return reply.header('content-encoding', 'br').send(await compressed)
    })
  }
}
