import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type * as OidcProvider from 'oidc-provider'
import type { Adapter, AdapterPayload, JWK } from 'oidc-provider'
import { freePort, portOf } from '../ports.ts'

export type Claims = { email?: string; email_verified?: boolean | string }
export type TestProvider = Awaited<ReturnType<typeof startOpenIdProvider>>

/** A certified OpenID Connect provider on loopback, where anybody in `accounts` signs in without a password. */
export async function startOpenIdProvider(options: { redirectUri: string; publicKey?: 'another' }) {
  const { Provider } = await providerPackage()
  const client = { clientId: 'tableside', clientSecret: randomBytes(24).toString('base64url') }
  const accounts = new Map<string, Claims>()
  const server = createServer()
  const port = await listen(server, await freePort())
  const issuer = `http://localhost:${port}`
  const provider = new Provider(issuer, {
    adapter: createStorage(),
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [options.redirectUri],
      },
    ],
    jwks: { keys: [signingKey()] },
    cookies: { keys: [randomBytes(24).toString('base64url')] },
    claims: { email: ['email', 'email_verified'] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ sub, ...accounts.get(sub) }) }),
    async loadExistingGrant({ oidc }) {
      const { client, session } = oidc
      if (!client || !session?.accountId) return undefined
      const grant = new oidc.provider.Grant({ accountId: session.accountId, clientId: client.clientId })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
  })
  const answer = provider.callback()
  const requestCounts = { token: 0 }
  server.on('request', (request, response) => {
    const url = request.url ?? ''
    if (url === '/token') requestCounts.token++
    if (url === '/jwks' && options.publicKey === 'another') {
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ keys: [newKey().publicKey] }))
    } else if (url.startsWith('/interaction/')) {
      const accountId = String(request.headers['x-account'])
      const result =
        accountId === 'nobody' ? { error: 'access_denied' } : { login: { accountId, remember: false } }
      void provider.interactionFinished(request, response, result)
    } else {
      void answer(request, response)
    }
  })

  return {
    issuer,
    asked: requestCounts,
    settings: { issuer, ...client },
    accounts,
    /** Signs somebody, or `nobody`, in at the URL they were sent to; returns the query that they come back with. */
    async signInAt(url: string, account: string): Promise<string> {
      const cookies = new Map<string, string>()
      for (let at = url; ;) {
        const response = await fetch(at, {
          redirect: 'manual',
          headers: { 'x-account': account, cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
        })
        for (const cookie of response.headers.getSetCookie()) {
          const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/u)
          cookies.set(name, value)
        }
        const location = response.headers.get('location')
        if (!location) throw new Error(`${at}: ${response.status} ${await response.text()}`)
        at = new URL(location, at).href
        if (at.startsWith(options.redirectUri)) return new URL(at).search
      }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    start: () => listen(server, port),
  }
}

/** When loaded, it warns about every release of Node that is not LTS yet. */
async function providerPackage(): Promise<typeof OidcProvider> {
  const { warn } = console
  console.warn = () => {}
  try {
    return await import('oidc-provider')
  } finally {
    console.warn = warn
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve) => {
    server.listen(port, 'localhost', () => {
      resolve(portOf(server))
    })
  })
}

function newKey(): { privateKey: JWK; publicKey: JWK } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const named = (key: KeyObject): JWK => ({
    ...(key.export({ format: 'jwk' }) as JWK),
    kid: 'one',
    use: 'sig',
    alg: 'RS256',
  })
  return { privateKey: named(privateKey), publicKey: named(publicKey) }
}

let key: JWK | undefined

/** Created once, because it is slow. */
const signingKey = (): JWK => (key ??= newKey().privateKey)

/** Everything that one provider stores, by kind and id. */
function createStorage(): (kind: string) => Adapter {
  const everything = new Map<string, AdapterPayload>()
  return (kind) => {
    const key = (id: string) => `${kind} ${id}`
    const by = (field: 'uid' | 'userCode', value: string) =>
      [...everything].find(([name, payload]) => name.startsWith(`${kind} `) && payload[field] === value)?.[1]
    return {
      upsert: async (id, payload) => void everything.set(key(id), payload),
      find: async (id) => everything.get(key(id)),
      findByUid: async (uid) => by('uid', uid),
      findByUserCode: async (code) => by('userCode', code),
      async consume(id) {
        const payload = everything.get(key(id))
        if (payload) payload.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async (id) => void everything.delete(key(id)),
      async revokeByGrantId(grantId) {
        for (const [name, payload] of everything) if (payload.grantId === grantId) everything.delete(name)
      },
    }
  }
}
