import type { FastifyRequest } from 'fastify'
import { signOut } from '../../core/accounts/sessions/sessions.ts'
import * as demo from '../../core/accounts/sign-in/demo.ts'
import type { Ctx } from '../../core/ctx.ts'
import type { Cookies } from '../cookies.ts'
import type { HttpServer } from '../server.ts'

/** The routes that a browser navigates to instead of fetching them. */
export function mountNavigationRoutes(server: HttpServer, ctx: Ctx, cookies: Cookies): void {
  server.get<{ Querystring: Record<string, unknown> }>('/api/logout', async (request, reply) => {
    // Another site's page may link here, but must not be able to sign anybody out.
    if (isCrossSite(request)) return reply.type('text/html; charset=utf-8').send(signOutPage)
    await server.identify(request, reply, 'existing')
    await signOut(ctx, request.actor)
    void reply.header('set-cookie', cookies.clear('session'))
    return reply.redirect(localPath(request.query['returnTo']) ?? '/')
  })

  server.get<{ Params: { key: string } }>('/api/demo-crew/:key', async (request, reply) => {
    // Nor to sign anybody in, who might then mistake the demo for their own restaurant.
    if (isCrossSite(request)) return reply.type('text/html; charset=utf-8').send(demoLinkPage)
    await server.identify(request, reply, 'existing')
    const cookie = await demo.enterAsCrew(ctx, request.actor, request.params.key)
    void reply.header('set-cookie', cookies.set('session', cookie))
    return reply.redirect('/waiter')
  })
}

/** A path on this site, or null for anything that could lead elsewhere. */
export function localPath(given: unknown): string | null {
  if (typeof given !== 'string' || !/^\/(?![/\\])/u.test(given) || given.length > 500) return null
  const url = URL.parse(given, 'http://own.invalid')
  // "/.//elsewhere" is normalised to a path that browsers treat as another host.
  if (url?.origin !== 'http://own.invalid' || url.pathname.startsWith('//')) return null
  return `${url.pathname}${url.search}`
}

const isCrossSite = ({ headers }: FastifyRequest): boolean => headers['sec-fetch-site'] === 'cross-site'

const confirmationPage = (
  title: string,
  yes: { href: string; text: string },
  no: string,
): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
<p><a href="${yes.href}">${yes.text}</a></p>
<p><a href="/">${no}</a></p>
</html>`

const signOutPage = confirmationPage('Sign out?', { href: '/api/logout', text: 'Sign Out' }, 'Stay signed in')
/** A page that links to its own address, so that the next request comes from our own site. */
const demoLinkPage = confirmationPage(
  'Open the demo restaurant?',
  { href: '', text: 'Open its Crew Dashboard' },
  'Stay as I am',
)
