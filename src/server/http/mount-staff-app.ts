import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { PaymentProvider } from '#contract/billing.ts'
import { Refusal } from '../core/errors.ts'
import type { HttpServer } from './server.ts'

/**
 * The staff app as it was built: its page for every path that is not something else, its files for ever.
 * The page says who takes the payments, which shows before anybody signs in, and with Stripe is entered and left
 * by full navigations, for a policy belongs to a document; with an identity provider Admin Login leads there, too,
 * and passkeys are offered only where they can be.
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
  const lightPage = darkPage.replace('data-ground="dark"', 'data-ground="light"')
  server.setNotFoundHandler(async (request, reply) => {
    const wantsPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
    if (!wantsPage || request.url.startsWith('/api/')) throw new Refusal('not_found', 'Not found')
    // Said by the page itself, so that nothing flashes before the script: the crew works in the dark.
    const page = /^\/waiter\/?(\?|$)/u.test(request.url) ? darkPage : lightPage
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page)
  })
}
