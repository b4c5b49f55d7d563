import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
} from 'openid-client'
import { Email, type SignInProblem } from '#contract/accounts/account-forms.ts'
import { parse } from '#contract/parse.ts'
import type { Identity, IdentityProvider } from '../../core/accounts/sign-in/openid-login.ts'
import type { Log } from '../../ports/monitoring.ts'

type OpenIdSettings = { issuer: string; clientId: string; clientSecret: string }

/** For each request to the provider. */
const timeoutSeconds = 10

/** Anybody who signed in with the provider longer ago has to sign in there again. */
const maxAuthAgeSeconds = 30 * 24 * 60 * 60

/** Uses the code flow with PKCE, state and nonce, and verifies the token's signature. */
export function createOpenIdProvider(
  settings: OpenIdSettings,
  redirectUri: string,
  log: Log,
): IdentityProvider {
  const issuer = new URL(settings.issuer)
  let cachedConfiguration: Promise<Configuration> | undefined

  /** Loaded when first needed: a provider that is down must not prevent the start. */
  function configuration(): Promise<Configuration> {
    cachedConfiguration ??= discovery(
      issuer,
      settings.clientId,
      {},
      clientAuthentication(settings.clientSecret),
      {
        timeout: timeoutSeconds,
        // The settings allow plain http for a provider on this machine only.
        execute: [
          enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
        ],
      },
    ).catch((error: unknown) => {
      cachedConfiguration = undefined
      throw error
    })
    return cachedConfiguration
  }

  function logProblem(problem: SignInProblem, error: unknown): SignInProblem {
    if (problem !== 'cancelled') log.warn({ problem, ...logDetails(error) }, 'OpenID Connect sign-in failed')
    return problem
  }

  return {
    async startSignIn({ anew }) {
      try {
        const config = await configuration()
        const departure = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
        const url = buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: 'openid email',
          state: departure.state,
          nonce: departure.nonce,
          code_challenge: await calculatePKCECodeChallenge(departure.verifier),
          code_challenge_method: 'S256',
          // Any maximum age makes the provider say when the person signed in.
          max_age: anew ? '0' : String(maxAuthAgeSeconds),
          ...(anew && { prompt: 'login' }),
        })
        return { url: url.href, departure }
      } catch (error) {
        logProblem('unavailable', error)
        return undefined
      }
    },

    async completeSignIn(search, { state, nonce, verifier }) {
      try {
        const config = await configuration()
        const tokens = await authorizationCodeGrant(config, new URL(search, redirectUri), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims) return logProblem('failed', new Error('no id token'))
        const needsUserInfo =
          claims['email'] === undefined && config.serverMetadata().userinfo_endpoint !== undefined
        const { email, email_verified } = needsUserInfo
          ? await fetchUserInfo(config, tokens.access_token, claims.sub)
          : claims
        return toIdentity(claims, email, email_verified)
      } catch (error) {
        return logProblem(toSignInProblem(error), error)
      }
    },
  }
}

function toIdentity(
  claims: { iss: string; sub: string; iat: number; auth_time?: number },
  email: unknown,
  verified: unknown,
): Identity {
  const address = parse(Email, email)
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: address.ok ? address.value : null,
    emailVerified: address.ok && verified === true,
    // According to the provider's own clock.
    provedAgo: claims.auth_time === undefined ? null : Math.max(0, claims.iat - claims.auth_time) * 1000,
  }
}

/** Sends the secret in the body if the provider says that it accepts that, otherwise in the header. */
function clientAuthentication(secret: string): ClientAuth {
  const [post, basic] = [ClientSecretPost(secret), ClientSecretBasic(secret)]
  return (server, client, body, headers) => {
    const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? false
    const auth = takesPost ? post : basic
    auth(server, client, body, headers)
  }
}

const unreachableCodes = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'])

function toSignInProblem(error: unknown): SignInProblem {
  if (error instanceof AuthorizationResponseError) {
    return error.error === 'access_denied' ? 'cancelled' : 'failed'
  }
  if (error instanceof ResponseBodyError) return error.error === 'invalid_grant' ? 'expired' : 'failed'
  if (error instanceof ClientError) return unreachableCodes.has(error.code ?? '') ? 'unavailable' : 'failed'
  // fetch throws this when there is no connection.
  return error instanceof TypeError && error.cause !== undefined ? 'unavailable' : 'failed'
}

/** For the operator; contains neither codes nor tokens. */
function logDetails(error: unknown): object {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    return { reason: error.error, description: error.error_description }
  }
  if (!(error instanceof Error)) return {}
  const { message, cause } = error
  return { reason: message, ...(cause instanceof Error && { cause: cause.message }) }
}
