import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { PaymentProvider } from '#contract/billing.ts'
import { Refusal } from '../core/errors.ts'
import type { HttpServer } from './server.ts'

/**
 * Serves the built staff app: its page for every path that is not taken otherwise, and its files, cached for ever.
 * The page names the payment provider, which is shown before anybody signs in; with Stripe, /subscribe is entered and
 * left by full navigation, since a policy belongs to a document. It also says whether Admin Login leads to an identity
 * provider, and whether passkeys are available.
 */
export function mountStaffApp(
  server: HttpServer,
  dist: string,
  options: { payments: PaymentProvider; openId: boolean; passkeyHost: string | null },
): void {
  const root = join(dist, 'client')
  void server.register(fastifyStatic, {
    root,
    wildcard: false,
    index: false,
    preCompressed: true,
    maxAge: '1y',
    immutable: true,
    setHeaders: (response, path) => {
      if (path.endsWith('.html') || !path.includes('/assets/')) response.header('cache-control', 'no-cache')
    },
  })
  const payments = ` data-payments="${options.payments}"`
  const provider = options.openId ? ' data-provider="openid"' : ''
  const passkeys = options.passkeyHost === null ? '' : ` data-passkeys="${options.passkeyHost}"`
  const darkPage = readFileSync(join(root, 'index.html'), 'utf8').replace(
    '<html',
    `<html${payments}${provider}${passkeys}`,
  )
  const lightPage = darkPage.replace('data-theme="dark"', 'data-theme="light"')
  server.setNotFoundHandler(async (request, reply) => {
    const wantsPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
    if (!wantsPage || request.url.startsWith('/api/')) throw new Refusal('not_found', 'Not found')
    // Set by the page itself, so that nothing flashes before the script runs: crews work in the dark.
    const page = /^\/waiter\/?(\?|$)/u.test(request.url) ? darkPage : lightPage
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page)
  })
}
