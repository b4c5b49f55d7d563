import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignInProblem } from '#contract/accounts/account-forms.ts'
import * as openIdLogin from '../../core/accounts/sign-in/openid-login.ts'
import type { IdentityProvider, PendingSignIn } from '../../core/accounts/sign-in/openid-login.ts'
import type { Ctx } from '../../core/ctx.ts'
import { tryTake } from '../../core/limits/limits.ts'
import type { Cookies } from '../cookies.ts'
import { localPath } from '../mounts/mount-navigation.ts'
import type { HttpServer } from '../server.ts'

type Query = { Querystring: Record<string, unknown> }

/** Owners sign in with the OpenID Connect provider if there is one, otherwise at Admin Login. */
export function mountOpenIdLogin(
  server: HttpServer,
  ctx: Ctx,
  cookies: Cookies,
  provider: IdentityProvider | null,
): void {
  server.get<Query>('/api/login', async (request, reply) => {
    const returnTo = localPage(request.query['returnTo'])
    if (!provider) return reply.redirect(adminLoginUrl({ returnTo }))
    await server.identify(request, reply, 'existing')
    if (!(await isWithinLimit(request))) return reply.redirect(adminLoginUrl({ problem: 'busy', returnTo }))
    const [separate, anew] = [request.query['account'] === 'new', request.query['confirm'] === '1']
    const signIn = await openIdLogin.begin(request.actor, provider, { anew })
    if (!signIn) return reply.redirect(adminLoginUrl({ problem: 'unavailable', returnTo }))
    void reply.header(
      'set-cookie',
      cookies.set('login', serializeLoginState({ ...signIn.departure, returnTo, separate, anew })),
    )
    return reply.redirect(signIn.url)
  })

  server.get<Query>('/api/login/callback', async (request, reply) => {
    const state = parseLoginState(cookies.read(request.headers)('login'))
    if (!provider || !state || request.query['state'] !== state.state) {
      return reply.redirect(adminLoginUrl({ problem: 'expired' }))
    }
    // It can be used only once, whatever the outcome.
    void reply.header('set-cookie', cookies.clear('login'))
    await server.identify(request, reply, 'existing')
    return reply.redirect(await finishLogin(provider, state, request, reply))
  })

  async function finishLogin(
    provider: IdentityProvider,
    state: LoginState,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string> {
    const { returnTo, separate, anew } = state
    if (!(await isWithinLimit(request))) return adminLoginUrl({ problem: 'busy', returnTo })
    const identity = await provider.completeSignIn(request.url.replace(/^[^?]*/u, ''), state)
    if (typeof identity === 'string') return adminLoginUrl({ problem: identity, returnTo })
    const signedIn = await openIdLogin.finish(ctx, request.actor, identity, { separate, anew })
    if (signedIn.as === 'unconfirmed') return adminLoginUrl({ link: '1', returnTo })
    void reply.header('set-cookie', cookies.set('session', signedIn.cookie))
    return signedIn.hasRestaurant ? (returnTo ?? '/dashboard') : '/onboarding'
  }

  const isWithinLimit = ({ actor }: FastifyRequest): Promise<boolean> =>
    tryTake(ctx, 'oidc-address', actor.address)
}

/** A page of the app to return to; an API route such as the logout does not count. */
function localPage(given: unknown): string | null {
  const path = localPath(given)
  return path === null || /^\/api(?:\/|$)/u.test(path) ? null : path
}

function adminLoginUrl(query: { problem?: SignInProblem; link?: '1'; returnTo?: string | null }): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return given.length === 0 ? '/demo-login' : `/demo-login?${new URLSearchParams(given)}`
}

/** Kept in a cookie while the owner is at the provider. */
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
