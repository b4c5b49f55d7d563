import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import proxyaddr from '@fastify/proxy-addr'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ports.ts'
import * as sessions from '../core/accounts/sessions.ts'

/** A visit lasts 3 hours; the device is known a little longer, so that an old visit can be told from a new one. */
const guestCookieSeconds = 4 * 60 * 60

/** How long somebody may take to sign in at the OpenID Connect provider. */
const loginCookieSeconds = 10 * 60

/** A little longer than what it carries counts. */
const challengeCookieSeconds = 6 * 60

/** As long as browsers keep a cookie at most. */
const deviceCookieSeconds = 400 * 24 * 60 * 60

export type BrowserSessions = {
  /** Who sends this. `newGuest` is the cookie to set when a device without one is to be known from now on. */
  identify(
    request: IncomingMessage,
    guest: 'known' | 'make-known',
  ): Promise<{ actor: Actor; cookies: string[] }>
  /** To be set when what the device carries of its visits has changed; null when it has not. */
  changedVisitsCookie(request: IncomingMessage, actor: Actor): string | null
  /** Whether it carries what may be a session's cookie. */
  hasSessionCookie(request: IncomingMessage): boolean
  /** Why a page of somebody else's must have sent this; null when it may pass. */
  csrfProblem(method: string, headers: IncomingHttpHeaders, upgrade: boolean): string | null
  sessionCookie(value: string): string
  clearSessionCookie(): string
  /** By which a browser is known to have signed in before; signing out leaves it. */
  deviceCookie(value: string): string
  /** What a passkey of this browser is to sign. */
  challengeCookie(value: string): string
  /** What a browser keeps while it is away at the OpenID Connect provider. */
  loginCookie(value: string): string
  readLoginCookie(request: IncomingMessage): string | null
  clearLoginCookie(): string
}

/** What one browser is to us: its cookies, its address, and whether it is really our page that speaks. */
export function createBrowserSessions(
  ctx: Ctx,
  options: { origins: readonly string[]; secure: boolean; trustProxy: string[] },
): BrowserSessions {
  const { origins, secure } = options
  const prefix = secure ? '__Host-' : ''
  const names = {
    session: `${prefix}tsr`,
    guest: `${prefix}tsr_g`,
    visits: `${prefix}tsr_v`,
    login: `${prefix}tsr_l`,
    device: `${prefix}tsr_d`,
    challenge: `${prefix}tsr_c`,
  }
  const trust = proxyaddr.compile(options.trustProxy)
  const setCookie = (name: string, value: string, maxAge?: number) =>
    stringifySetCookie({
      name,
      value,
      path: '/',
      httpOnly: true,
      secure,
      sameSite: 'lax',
      ...(maxAge !== undefined && { maxAge }),
    })

  return {
    async identify(request, guest) {
      const given = parseCookie(request.headers.cookie ?? '')
      const known = validToken(given[names.guest])
      const made = known === null && guest === 'make-known' ? ctx.secrets.newToken() : null
      const token = known ?? made
      const actor = await sessions.identify(ctx, validToken(given[names.session]), {
        guestId: token === null ? null : ctx.secrets.digest(token),
        visits: { cookie: given[names.visits] ?? null },
        address: addressPrefix(proxyaddr(request, trust)),
        deviceCookie: given[names.device] ?? null,
        challengeCookie: given[names.challenge] ?? null,
        userAgent: request.headers['user-agent'] ?? null,
      })
      const cookies = made === null ? [] : [setCookie(names.guest, made, guestCookieSeconds)]
      return { actor, cookies }
    },

    changedVisitsCookie(request, { visits: { cookie } }) {
      if (cookie === null || cookie === parseCookie(request.headers.cookie ?? '')[names.visits]) return null
      return setCookie(names.visits, cookie, guestCookieSeconds)
    },

    hasSessionCookie: ({ headers }) => validToken(parseCookie(headers.cookie ?? '')[names.session]) !== null,

    csrfProblem(method, headers, upgrade) {
      if (!upgrade && ['GET', 'HEAD', 'OPTIONS'].includes(method)) return null
      const site = headers['sec-fetch-site']
      if (site !== undefined && site !== 'same-origin') return 'Cross-site request refused'
      // A plain form of the guest page, which sends no referrer, calls its origin "null".
      if (headers.origin === 'null' && site !== undefined && !upgrade) return null
      if (headers.origin !== undefined)
        return origins.includes(headers.origin) ? null : 'Cross-site request refused'
      return upgrade || headers.cookie !== undefined ? 'The Origin header is missing' : null
    },

    sessionCookie: (value) => setCookie(names.session, value),
    clearSessionCookie: () => setCookie(names.session, '', 0),
    deviceCookie: (value) => setCookie(names.device, value, deviceCookieSeconds),
    challengeCookie: (value) => setCookie(names.challenge, value, challengeCookieSeconds),
    loginCookie: (value) => setCookie(names.login, value, loginCookieSeconds),
    readLoginCookie: (request) => parseCookie(request.headers.cookie ?? '')[names.login] ?? null,
    clearLoginCookie: () => setCookie(names.login, '', 0),
  }
}

/** Only what could be ours is looked up. */
function validToken(cookie: string | undefined): string | null {
  return cookie !== undefined && /^[\w-]{32}$/u.test(cookie) ? cookie : null
}

/** IPv4 whole, IPv6 by /64: that is what one customer of a provider has. */
export function addressPrefix(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/u, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('%')[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
