import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PaymentProvider } from '#contract/billing.ts'
import type { Languages } from '#contract/texts/catalogue.ts'
import { Refusal } from '../../core/errors.ts'
import type { Cookies } from '../cookies.ts'
import { hasSessionCookie } from '../identify.ts'
import type { HttpServer } from '../server.ts'
import { escapeHtml } from './guest-html.ts'

/** A file whose name changes with its content. */
const namedByContent = /^\/(?:assets|catalogues(?:\/portals)?)\/[\w.-]+-[\w-]{8,10}\.\w+$/u
/** Browsers follow 20. */
const maxRedirects = 16

/**
 * Serves the built staff app: its page for every path that is not taken otherwise, and its files, cached for ever.
 * The page names the payment provider, which is shown before anybody signs in; with Stripe, /subscribe is entered and
 * left by full navigation, since a policy belongs to a document. It also says whether Admin Login leads to an identity
 * provider, whether passkeys, e-mail and demos are available, in which languages crews, owners and managers can read it, in
 * which ones guests read theirs, and whether nobody is signed in or somebody who is not the owner, so that the page need
 * not ask.
 */
export function mountStaffApp(
  server: HttpServer,
  dist: string,
  options: {
    payments: PaymentProvider
    openId: boolean
    mail: boolean
    tryDemo: boolean
    passkeyHost: string | null
    catalogues: { languages: Languages; portalLanguages: Languages }
    guestLanguages: readonly string[]
    /** Servers of another version may stand behind the same proxy. */
    severalNodes: boolean
    cookies: Cookies
    /** For when the page's own script does not come. */
    inlineScript: string
  },
): void {
  const root = join(dist, 'client')
  void server.register(fastifyStatic, {
    root,
    // It would look for files with a library that takes longer than all that is mounted here.
    serve: false,
    preCompressed: true,
    maxAge: '1y',
    immutable: true,
    setHeaders: (response, path) => {
      if (path.endsWith('.html') || !path.includes('/assets/')) response.header('cache-control', 'no-cache')
      // Nobody asks again for what is cached for ever, but for the parts of a sound.
      else if (!path.endsWith('.wav'))
        for (const name of ['etag', 'last-modified']) response.removeHeader(name)
    },
  })
  for (const file of listFiles(root))
    server.route({
      method: ['GET', 'HEAD'],
      url: `/${file}`,
      handler: (_request, reply) => reply.sendFile(file),
    })
  // Eight hundred routes would double the time in which a server starts.
  const assets = new Set(readdirSync(join(root, 'assets')))
  server.get<{ Params: { name: string } }>('/assets/:name', async ({ params: { name } }, reply) =>
    assets.has(name) ? reply.sendFile(`assets/${name}`) : reply.callNotFound(),
  )
  const payments = ` data-payments="${options.payments}"`
  const provider = options.openId ? ' data-provider="openid"' : ''
  const mail = options.mail ? ' data-mail="on"' : ''
  const demo = options.tryDemo ? ' data-demo="on"' : ''
  const passkeys = options.passkeyHost === null ? '' : ` data-passkeys="${options.passkeyHost}"`
  const { languages, portalLanguages } = options.catalogues
  const read = ` data-languages="${toAttribute(languages)}" data-portal-languages="${toAttribute(portalLanguages)}"`
  const guests = ` data-guest-languages="${options.guestLanguages.join(' ')}"`
  const darkPage = readFileSync(join(root, 'index.html'), 'utf8')
    .replace('<html', () => `<html${payments}${provider}${mail}${demo}${passkeys}${read}${guests}`)
    .replace('<script', () => `<script>${options.inlineScript}</script>\n    <script`)
  const lightPage = darkPage.replace('data-theme="dark"', 'data-theme="light"')
  let isLossLogged = false
  server.setNotFoundHandler(async (request, reply) => {
    const file = /^\/assets\/([^?]+)/u.exec(request.url)?.[1]
    if (!isLossLogged && file !== undefined && assets.has(file)) {
      isLossLogged = true
      server.log.error({ file }, 'a file of the pages is gone')
    }
    const again = options.severalNodes ? findNextAsk(request) : null
    if (again !== null) return reply.header('cache-control', 'no-store').redirect(again, 307)
    const wantsPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
    if (!wantsPage || request.url.startsWith('/api/')) throw new Refusal('not_found', 'Not found')
    // Set by the page itself, so that nothing flashes before the script runs: crews work in the dark.
    const isCrewPage = /^\/waiter\/?(\?|$)/u.test(request.url)
    const page = isCrewPage ? darkPage : lightPage
    const session = !hasSessionCookie(options.cookies, request.headers)
      ? 'none'
      : isCrewPage
        ? null
        : await kindOfSession(request, reply)
    return reply
      .type('text/html; charset=utf-8')
      .headers({ 'cache-control': 'no-cache', vary: 'cookie' })
      .send(session === null ? page : page.replace('<html', `<html data-session="${session}"`))
  })

  /** Null for owners, and when the database does not say: then the page asks. */
  async function kindOfSession(request: FastifyRequest, reply: FastifyReply): Promise<string | null> {
    try {
      await server.identify(request, reply, 'existing')
    } catch {
      return null
    }
    const { grants } = request.actor
    return grants.size === 0 ? 'none' : grants.has('owner') ? null : 'staff'
  }
}

/**
 * While servers are replaced, a page from one version's server may load its files from another's. The browser asks again
 * until the proxy has chosen a server that has the file: without it the page stays blank.
 */
function findNextAsk({ method, url }: FastifyRequest): string | null {
  const [path = '', query = ''] = url.split('?', 2)
  const asked = Number(/^asked=(\d{1,2})$/u.exec(query)?.[1] ?? 0)
  if (!['GET', 'HEAD'].includes(method) || !namedByContent.test(path) || asked >= maxRedirects) return null
  return `${path}?asked=${asked + 1}`
}

/** Those that are asked for by their names, but for assets. */
function listFiles(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`
    if (entry.name.startsWith('.')) return []
    if (entry.isDirectory()) return path === 'assets' ? [] : listFiles(root, `${path}/`)
    return /\.(?:br|gz)$/u.test(path) ? [] : path
  })
}

const toAttribute = (languages: Languages): string => escapeHtml(JSON.stringify(languages))
