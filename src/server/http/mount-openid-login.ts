import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignInProblem } from '#contract/accounts.ts'
import type { Ctx } from '../core/ports.ts'
import { Refusal } from '../core/errors.ts'
import {
  signInWithIdentity,
  type PendingSignIn,
  type IdentityProvider,
} from '../core/accounts/openid-login.ts'
import type { BrowserSessions } from './cookies.ts'
import { localPath } from './mount-navigation.ts'
import type { HttpServer } from './server.ts'

type Query = { Querystring: Record<string, unknown> }

/** Where an owner signs in: at the OpenID Connect provider if there is one, else at Admin Login. */
export function mountOpenIdLogin(
  server: HttpServer,
  ctx: Ctx,
  browsers: BrowserSessions,
  provider: IdentityProvider | null,
): void {
  server.get<Query>('/api/login', async (request, reply) => {
    const returnTo = localPage(request.query['returnTo'])
    if (!provider) return reply.redirect(adminLoginUrl({ returnTo }))
    await server.identify(request, reply, 'known')
    if (!(await isWithinLimit(request))) return reply.redirect(adminLoginUrl({ problem: 'busy', returnTo }))
    const [separate, anew] = [request.query['account'] === 'new', request.query['confirm'] === '1']
    const left = await provider.startSignIn({ anew })
    if (!left) return reply.redirect(adminLoginUrl({ problem: 'unavailable', returnTo }))
    void reply.header(
      'set-cookie',
      browsers.loginCookie(serializeLoginState({ ...left.departure, returnTo, separate, anew })),
    )
    return reply.redirect(left.url)
  })

  server.get<Query>('/api/login/callback', async (request, reply) => {
    const trip = parseLoginState(browsers.readLoginCookie(request.raw))
    if (!provider || !trip || request.query['state'] !== trip.state) {
      return reply.redirect(adminLoginUrl({ problem: 'expired' }))
    }
    // Whatever becomes of it, it is used up.
    void reply.header('set-cookie', browsers.clearLoginCookie())
    await server.identify(request, reply, 'known')
    return reply.redirect(await finishLogin(provider, trip, request, reply))
  })

  async function finishLogin(
    provider: IdentityProvider,
    trip: LoginState,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string> {
    const { returnTo, separate, anew } = trip
    if (!(await isWithinLimit(request))) return adminLoginUrl({ problem: 'busy', returnTo })
    const identity = await provider.completeSignIn(request.url.replace(/^[^?]*/u, ''), trip)
    if (typeof identity === 'string') return adminLoginUrl({ problem: identity, returnTo })
    const arrived = await signInWithIdentity(ctx, request.actor, identity, { separate, anew })
    if (arrived.as === 'unconfirmed') return adminLoginUrl({ link: '1', returnTo })
    void reply.header('set-cookie', browsers.sessionCookie(arrived.cookie))
    return arrived.hasRestaurant ? (returnTo ?? '/dashboard') : '/onboarding'
  }

  async function isWithinLimit({ actor }: FastifyRequest): Promise<boolean> {
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
function localPage(given: unknown): string | null {
  const path = localPath(given)
  return path === null || /^\/api(?:\/|$)/u.test(path) ? null : path
}

function adminLoginUrl(query: { problem?: SignInProblem; link?: '1'; returnTo?: string | null }): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return given.length === 0 ? '/demo-login' : `/demo-login?${new URLSearchParams(given)}`
}

/** A departure with what the owner wanted. */
type LoginState = PendingSignIn & { returnTo: string | null; separate: boolean; anew: boolean }

const serializeLoginState = ({ separate, anew, returnTo, ...departure }: LoginState): string =>
  new URLSearchParams({
    ...departure,
    ...(returnTo !== null && { returnTo }),
    ...(separate && { separate: '1' }),
    ...(anew && { anew: '1' }),
  }).toString()

function parseLoginState(cookie: string | null): LoginState | null {
  const { state, nonce, verifier, returnTo, separate, anew } = Object.fromEntries(
    new URLSearchParams(cookie ?? ''),
  )
  if (!state || !nonce || !verifier) return null
  return {
    state,
    nonce,
    verifier,
    returnTo: localPage(returnTo),
    separate: separate === '1',
    anew: anew === '1',
  }
}
