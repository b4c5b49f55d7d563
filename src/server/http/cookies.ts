import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'

/** `maxAge` in seconds; without it the cookie ends with the browser session. */
const definitions = {
  session: { suffix: '' },
  /**
   * A visit lasts 3 hours. The cookie lives a little longer, to tell an old visit from a new one; it is set again when
   * another visit begins.
   */
  guest: { suffix: '_g', maxAge: 4 * 60 * 60 },
  visits: { suffix: '_v', maxAge: 4 * 60 * 60 },
  /** Kept while somebody signs in with the OpenID Connect provider. */
  login: { suffix: '_l', maxAge: 10 * 60 },
  /** Proves that this browser signed in before; signing out keeps it. Browsers allow no longer lifetime. */
  device: { suffix: '_d', maxAge: 400 * 24 * 60 * 60 },
  /** What a guest chose, for the guest page. */
  language: { suffix: '_n', maxAge: 400 * 24 * 60 * 60 },
  /** What a passkey in this browser has to sign. Lives a little longer than the challenge in it. */
  challenge: { suffix: '_c', maxAge: 6 * 60 },
} satisfies Record<string, { suffix: string; maxAge?: number }>

export type CookieName = keyof typeof definitions
export type Cookies = ReturnType<typeof createCookies>

/** Reads and writes the product's cookies under their short names. */
export function createCookies({ secure }: { secure: boolean }) {
  const fullName = (name: CookieName) => `${secure ? '__Host-' : ''}tsr${definitions[name].suffix}`

  function serialize(name: CookieName, value: string, maxAge: number | undefined): string {
    return stringifySetCookie({
      name: fullName(name),
      value,
      path: '/',
      httpOnly: true,
      secure,
      sameSite: 'lax',
      ...(maxAge !== undefined && { maxAge }),
    })
  }

  return {
    read(headers: IncomingHttpHeaders): (name: CookieName) => string | null {
      const values = parseCookie(headers.cookie ?? '')
      return (name) => values[fullName(name)] ?? null
    },

    set(name: CookieName, value: string): string {
      const definition: { suffix: string; maxAge?: number } = definitions[name]
      return serialize(name, value, definition.maxAge)
    },

    clear: (name: CookieName): string => serialize(name, '', 0),
  }
}
