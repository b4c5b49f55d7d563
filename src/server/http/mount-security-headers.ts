import { contentSecurityPolicy, cspReportsPath } from './content-security-policy.ts'
import type { HttpServer } from './server.ts'

const stripeScript = 'https://js.stripe.com https://*.js.stripe.com'

/** For Stripe's card form. /subscribe is entered and left by full navigation, since headers belong to a document. */
const subscribeHeaders = (publicUrl: string): Record<string, string> => ({
  'content-security-policy': contentSecurityPolicy(publicUrl, {
    'script-src': `'self' ${stripeScript}`,
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

/** Set on every reply unless the page has set its own. */
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
  // The address of /reset-password carries a secret until its script has read it.
  const recoveryPage = { ...headers, 'referrer-policy': 'no-referrer' }
  const subscribePage = { ...headers, ...(options.stripe && subscribeHeaders(publicUrl)) }
  server.addHook('onSend', async (request, reply) => {
    const page = /^\/([\w-]+)\/?(\?|$)/u.exec(request.url)?.[1]
    const isRecovery = page === 'forgot-password' || page === 'reset-password'
    const pageHeaders = page === 'subscribe' ? subscribePage : isRecovery ? recoveryPage : headers
    for (const [name, value] of Object.entries(pageHeaders))
      if (!reply.hasHeader(name)) void reply.header(name, value)
  })
}
