import { cspReportsPath } from './mount-csp-reports.ts'
import type { HttpServer } from './server.ts'

/** What every page may load: nothing but what comes from here. */
export function contentSecurityPolicy(publicUrl: string, more: Record<string, string | null> = {}): string {
  const socket = publicUrl.replace(/^http/u, 'ws')
  const directives = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data: blob:",
    'font-src': "'self'",
    'media-src': "'self'",
    'connect-src': `'self' ${socket}`,
    'worker-src': "'self'",
    'manifest-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'object-src': "'none'",
    // Text becomes no markup and no script; the app names its service worker through the one policy there is.
    'require-trusted-types-for': "'script'",
    'trusted-types': 'tableside',
    'report-uri': cspReportsPath,
    'report-to': 'csp',
    ...more,
  }
  return Object.entries(directives)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}

const stripeScript = 'https://js.stripe.com https://*.js.stripe.com'

/** What Stripe's card form needs. It belongs to the document: /subscribe is entered and left by full navigation. */
const subscribeHeaders = (publicUrl: string): Record<string, string> => ({
  'content-security-policy': contentSecurityPolicy(publicUrl, {
    'script-src': `'self' ${stripeScript}`,
    'frame-src': `${stripeScript} https://hooks.stripe.com`,
    'connect-src': `'self' ${publicUrl.replace(/^http/u, 'ws')} https://api.stripe.com`,
    // Stripe.js is fetched by its address and makes what it needs itself, so it cannot be held to a policy of ours.
    'require-trusted-types-for': null,
    'trusted-types': null,
  }),
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'permissions-policy':
    'camera=(self), payment=(self "https://js.stripe.com"), microphone=(), geolocation=()',
})

/** On every answer, unless the page has set its own. */
export function mountSecurityHeaders(
  server: HttpServer,
  publicUrl: string,
  options: { stripe: boolean },
): void {
  const headers: Record<string, string> = {
    'content-security-policy': contentSecurityPolicy(publicUrl),
    'reporting-endpoints': `csp="${cspReportsPath}"`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(self), microphone=(), geolocation=()',
    ...(publicUrl.startsWith('https:') && {
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    }),
  }
  // The address of the second one carries a secret, until its script has read it.
  const recoveryHeaders = { ...headers, 'referrer-policy': 'no-referrer' }
  const onSubscribe = { ...headers, ...(options.stripe && subscribeHeaders(publicUrl)) }
  server.addHook('onSend', async (request, reply) => {
    const page = /^\/([\w-]+)\/?(\?|$)/u.exec(request.url)?.[1]
    const isRecovery = page === 'forgot-password' || page === 'reset-password'
    const own = page === 'subscribe' ? onSubscribe : isRecovery ? recoveryHeaders : headers
    for (const [name, value] of Object.entries(own))
      if (!reply.hasHeader(name)) void reply.header(name, value)
  })
}
