import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignInProblem } from '#contract/accounts.ts'
import type { Ctx } from '../core/ports.ts'
import { Refusal } from '../core/errors.ts'
import { arrive, type Departure, type IdentityProvider } from '../core/identities.ts'
import type { Browsers } from './browser.ts'
import { ownPath } from './navigation.ts'
import type { Http } from './server.ts'

type Query = { Querystring: Record<string, unknown> }

/** Where an owner signs in: at the OpenID Connect provider if there is one, else at Admin Login. */
export function mountLogin(
  server: Http,
  ctx: Ctx,
  browsers: Browsers,
  provider: IdentityProvider | null,
): void {
  server.get<Query>('/api/login', async (request, reply) => {
    const returnTo = ownPage(request.query['returnTo'])
    if (!provider) return reply.redirect(adminLogin({ returnTo }))
    await server.identify(request, reply, 'known')
    if (!(await mayTry(request))) return reply.redirect(adminLogin({ problem: 'busy', returnTo }))
    const [separate, anew] = [request.query['account'] === 'new', request.query['confirm'] === '1']
    const left = await provider.depart({ anew })
    if (!left) return reply.redirect(adminLogin({ problem: 'unavailable', returnTo }))
    void reply.header(
      'set-cookie',
      browsers.loginCookie(packed({ ...left.departure, returnTo, separate, anew })),
    )
    return reply.redirect(left.url)
  })

  server.get<Query>('/api/login/callback', async (request, reply) => {
    const trip = unpacked(browsers.loginCookieOf(request.raw))
    if (!provider || !trip || request.query['state'] !== trip.state) {
      return reply.redirect(adminLogin({ problem: 'expired' }))
    }
    // Whatever becomes of it, it is used up.
    void reply.header('set-cookie', browsers.endLoginCookie())
    await server.identify(request, reply, 'known')
    return reply.redirect(await comeBack(provider, trip, request, reply))
  })

  async function comeBack(
    provider: IdentityProvider,
    trip: Trip,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string> {
    const { returnTo, separate, anew } = trip
    if (!(await mayTry(request))) return adminLogin({ problem: 'busy', returnTo })
    const identity = await provider.arrive(request.url.replace(/^[^?]*/u, ''), trip)
    if (typeof identity === 'string') return adminLogin({ problem: identity, returnTo })
    const arrived = await arrive(ctx, request.actor, identity, { separate, anew })
    if (arrived.as === 'unconfirmed') return adminLogin({ link: '1', returnTo })
    void reply.header('set-cookie', browsers.sessionCookie(arrived.cookie))
    return arrived.hasRestaurant ? (returnTo ?? '/dashboard') : '/onboarding'
  }

  async function mayTry({ actor }: FastifyRequest): Promise<boolean> {
    try {
      await ctx.limits.take('oidc-address', actor.address)
      return true
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
  }
}

/** A page of ours to go back to; a call such as the logout is none. */
function ownPage(given: unknown): string | null {
  const path = ownPath(given)
  return path === null || /^\/api(?:\/|$)/u.test(path) ? null : path
}

function adminLogin(query: { problem?: SignInProblem; link?: '1'; returnTo?: string | null }): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return given.length === 0 ? '/demo-login' : `/demo-login?${new URLSearchParams(given)}`
}

/** A departure with what the owner wanted. */
type Trip = Departure & { returnTo: string | null; separate: boolean; anew: boolean }

const packed = ({ separate, anew, returnTo, ...departure }: Trip): string =>
  new URLSearchParams({
    ...departure,
    ...(returnTo !== null && { returnTo }),
    ...(separate && { separate: '1' }),
    ...(anew && { anew: '1' }),
  }).toString()

function unpacked(cookie: string | null): Trip | null {
  const { state, nonce, verifier, returnTo, separate, anew } = Object.fromEntries(
    new URLSearchParams(cookie ?? ''),
  )
  if (!state || !nonce || !verifier) return null
  return {
    state,
    nonce,
    verifier,
    returnTo: ownPage(returnTo),
    separate: separate === '1',
    anew: anew === '1',
  }
}
