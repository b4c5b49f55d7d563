import type { Ctx } from '../core/context.ts'
import * as demo from '../core/demo.ts'
import { signOut } from '../core/sessions.ts'
import type { Browsers } from './browser.ts'
import type { Http } from './server.ts'

/** The calls that a browser goes to instead of fetching them. */
export function mountNavigation(server: Http, ctx: Ctx, browsers: Browsers): void {
  server.get<{ Querystring: Record<string, unknown> }>('/api/logout', async (request, reply) => {
    // A page of somebody else's may lead here, but not sign anybody out.
    if (request.headers['sec-fetch-site'] === 'cross-site') {
      return reply.type('text/html; charset=utf-8').send(confirmation)
    }
    await server.identify(request, reply, 'known')
    await signOut(ctx, request.actor)
    void reply.header('set-cookie', browsers.endSessionCookie())
    return reply.redirect(ownPath(request.query['returnTo']) ?? '/')
  })

  server.get<{ Params: { key: string } }>('/api/demo-crew/:key', async (request, reply) => {
    await server.identify(request, reply, 'known')
    const cookie = await demo.crewLink(ctx, request.actor, request.params.key)
    void reply.header('set-cookie', browsers.sessionCookie(cookie))
    return reply.redirect('/waiter')
  })
}

/** A path of ours; anything that could lead elsewhere counts as none. */
export function ownPath(given: unknown): string | null {
  if (typeof given !== 'string' || !/^\/(?![/\\])/u.test(given) || given.length > 500) return null
  const url = URL.parse(given, 'http://own.invalid')
  // "/.//elsewhere" is a path that browsers read as another host once it stands alone.
  if (url?.origin !== 'http://own.invalid' || url.pathname.startsWith('//')) return null
  return `${url.pathname}${url.search}`
}

const confirmation = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign out</title>
<h1>Sign out?</h1>
<p><a href="/api/logout">Sign Out</a></p>
<p><a href="/">Stay signed in</a></p>
</html>`
