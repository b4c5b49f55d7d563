import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import * as sessions from '../core/accounts/sessions/sessions.ts'
import { identifyToken } from '../core/accounts/sessions/token-identity.ts'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { apiTokenIn } from './api-token.ts'
import type { Cookies } from './cookies.ts'

/** Whether a guest's device without a cookie is given one, so that it can be recognized later. */
export type GuestMode = 'existing' | 'create-if-missing'

/** Who sent a request, and the cookies to set. */
export type Identify = (
  request: IncomingMessage,
  guestMode: GuestMode,
) => Promise<{ actor: Actor; cookies: string[] }>

export function createIdentify(
  ctx: Ctx,
  cookies: Cookies,
  clientAddress: (request: IncomingMessage) => string,
): Identify {
  return async (request, guestMode) => {
    const address = clientAddress(request)
    const userAgent = request.headers['user-agent'] ?? null
    // Its cookies do not count: software acts for itself alone.
    const apiToken = apiTokenIn(request.headers)
    if (apiToken !== null)
      return { actor: await identifyToken(ctx, apiToken, { address, userAgent }), cookies: [] }
    const cookie = cookies.read(request.headers)
    const existing = validToken(cookie('guest'))
    const created = existing === null && guestMode === 'create-if-missing' ? ctx.secrets.newToken() : null
    const token = existing ?? created
    const actor = await sessions.identify(ctx, validToken(cookie('session')), {
      guestId: token === null ? null : ctx.secrets.digest(token),
      visits: { sent: cookie('visits') },
      address,
      deviceCookie: cookie('device'),
      challengeCookie: cookie('challenge'),
      userAgent,
    })
    return { actor, cookies: created === null ? [] : [cookies.set('guest', created)] }
  }
}

/** False only where nobody can be signed in. */
export const mayBeSignedIn = (cookies: Cookies, headers: IncomingHttpHeaders): boolean =>
  hasSessionCookie(cookies, headers) || apiTokenIn(headers) !== null

export const hasSessionCookie = (cookies: Cookies, headers: IncomingHttpHeaders): boolean =>
  validToken(cookies.read(headers)('session')) !== null

/** The id that a guest's device was given; null without one. */
export const guestTokenIn = (cookies: Cookies, headers: IncomingHttpHeaders): string | null =>
  validToken(cookies.read(headers)('guest'))

/** Saves a query for cookies that cannot be ours. */
function validToken(cookie: string | null): string | null {
  return cookie !== null && /^[\w-]{32}$/u.test(cookie) ? cookie : null
}
