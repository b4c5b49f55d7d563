import type { FastifyRequest } from 'fastify'
import { contentSecurityPolicy, cspReportsPath, hashSource } from '../content-security-policy.ts'
import type { HttpServer } from '../server.ts'

const stripeScript = 'https://js.stripe.com https://*.js.stripe.com'

/** For Stripe's card form. /subscribe is entered and left by full navigation, since headers belong to a document. */
const subscribeHeaders = (publicUrl: string, inlined: string): Record<string, string> => ({
  'content-security-policy': contentSecurityPolicy(publicUrl, {
    'script-src': `'self' ${stripeScript} ${inlined}`,
    'frame-src': `${stripeScript} https://hooks.stripe.com`,
    'connect-src': `'self' ${publicUrl.replace(/^http/u, 'ws')} https://api.stripe.com`,
    // Stripe.js creates markup of its own, so no policy of ours can apply to it.
    'require-trusted-types-for': null,
    'trusted-types': null,
  }),
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'permissions-policy':
    'camera=(self), payment=(self "https://js.stripe.com"), microphone=(), geolocation=()',
})

const [framedByNobody, framedByUs] = ["frame-ancestors 'none'", "frame-ancestors 'self'"]

const nothing = `default-src 'none'; base-uri 'none'; ${framedByNobody}; object-src 'none'`

/**
 * Only a browser can say so: pages cannot set these headers. Over plain http to another machine it says nothing; then
 * it is left to the browser to let nobody but us frame the page.
 */
function mayBeOurFrame({ headers }: FastifyRequest): boolean {
  const { 'sec-fetch-dest': destination, 'sec-fetch-site': site } = headers
  if (destination === undefined && site === undefined) return true
  return destination === 'iframe' && site === 'same-origin'
}

/** Scripts, styles, fonts and answers to calls: what browsers never open as a page. */
const isPart = (url: string, type: unknown): boolean =>
  url.startsWith('/assets/') || String(type).startsWith('application/json')

/** Set on every reply unless the page has set its own. */
export function mountSecurityHeaders(
  server: HttpServer,
  publicUrl: string,
  options: {
    stripe: boolean
    /** In each page of the staff app. */
    inlineScript: string
  },
): void {
  const inlined = hashSource(options.inlineScript)
  const headers: Record<string, string> = {
    // The owner's page that shows a guest's and a crew's screen side by side.
    'content-security-policy': contentSecurityPolicy(publicUrl, {
      'script-src': `'self' ${inlined}`,
      'frame-src': "'self'",
    }),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(self), microphone=(), geolocation=()',
    ...(publicUrl.startsWith('https:') && {
      'reporting-endpoints': `csp="${cspReportsPath}"`,
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    }),
  }
  // Without what only pages obey: half a kilobyte less of each answer, which a slow phone notices.
  const {
    'reporting-endpoints': _reporting,
    'cross-origin-opener-policy': _opener,
    'permissions-policy': _permissions,
    ...lasting
  } = headers
  const partHeaders = { ...lasting, 'content-security-policy': nothing }
  // The address of /reset-password carries a secret until its script has read it.
  const recoveryPage = { ...headers, 'referrer-policy': 'no-referrer' }
  const subscribePage = { ...headers, ...(options.stripe && subscribeHeaders(publicUrl, inlined)) }
  server.addHook('onSend', async (request, reply) => {
    const page = /^\/([\w-]+)\/?(\?|$)/u.exec(request.url)?.[1]
    const isRecovery = page === 'forgot-password' || page === 'reset-password'
    const pageHeaders = page === 'subscribe' ? subscribePage : isRecovery ? recoveryPage : headers
    const set = isPart(request.url, reply.getHeader('content-type')) ? partHeaders : pageHeaders
    for (const [name, value] of Object.entries(set))
      if (!reply.hasHeader(name)) void reply.header(name, value)
    if ((page === 'customer' || page === 'waiter') && mayBeOurFrame(request)) {
      const policy = String(reply.getHeader('content-security-policy'))
      void reply.header('content-security-policy', policy.replace(framedByNobody, framedByUs))
    }
  })
}
