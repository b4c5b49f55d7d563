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
    const ofPage = guestTokenOfPage(request.headers)
    const created =
      existing === null && guestMode === 'create-if-missing' ? (ofPage ?? ctx.secrets.newToken()) : null
    const token = existing ?? created ?? ofPage
    const actor = await sessions.identify(ctx, validToken(cookie('session')), {
      guestId: token === null ? null : ctx.secrets.digest(token),
      pageGuestId: ofPage === null || ofPage === token ? null : ctx.secrets.digest(ofPage),
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

/**
 * What a guest's page made for want of a cookie: as secret as the cookie, which it becomes with the first answer that
 * arrives. Anything else counts as none, so that nobody is shut out.
 */
function guestTokenOfPage({ 'guest-device': sent }: IncomingHttpHeaders): string | null {
  return typeof sent === 'string' ? validToken(sent) : null
}

/** Saves a query for cookies that cannot be ours. */
function validToken(cookie: string | null): string | null {
  return cookie !== null && /^[\w-]{32}$/u.test(cookie) ? cookie : null
}
