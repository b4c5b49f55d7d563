import type { Http } from './server.ts'

/** What every page may load: nothing but what comes from here. */
export function contentSecurityPolicy(publicUrl: string, more: Record<string, string> = {}): string {
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
    ...more,
  }
  return Object.entries(directives)
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
  }),
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'permissions-policy':
    'camera=(self), payment=(self "https://js.stripe.com"), microphone=(), geolocation=()',
})

/** On every answer, unless the page has set its own. */
export function mountHeaders(server: Http, publicUrl: string, options: { stripe: boolean }): void {
  const headers: Record<string, string> = {
    'content-security-policy': contentSecurityPolicy(publicUrl),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(self), microphone=(), geolocation=()',
    ...(publicUrl.startsWith('https:') && {
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    }),
  }
  const onSubscribe = { ...headers, ...(options.stripe && subscribeHeaders(publicUrl)) }
  server.addHook('onSend', async (request, reply) => {
    const own = /^\/subscribe\/?(\?|$)/u.test(request.url) ? onSubscribe : headers
    for (const [name, value] of Object.entries(own))
      if (!reply.hasHeader(name)) void reply.header(name, value)
  })
}
