import { BlockList, isIP } from 'node:net'
import type { StripeSettings } from './adapters/payments/stripe/client.ts'
import { defaultUrl } from './storage/engine/sqlite.ts'

export type Config = {
  port: number
  host: string
  /** Origin of links and cookies, without a slash at the end. */
  publicUrl: string
  /** What a page of ours may call itself in an Origin header. */
  origins: string[]
  databaseUrl: string
  redisUrl: string | null
  /** `auto`: when the database is empty and this is not production. */
  demo: boolean | 'auto'
  production: boolean
  billing: boolean
  /** Null: payments go to the sandbox, which charges nobody. */
  stripe: StripeSettings | null
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  trustProxy: string[]
  guestLimits: boolean
  defaultRestaurant: string | null
  metricsToken: string | null
  /** Owners sign in through this provider of OpenID Connect. */
  oidc: { issuer: string; clientId: string; clientSecret: string } | null
}

/** A wrong setting stops the start; every problem is told at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Env = Readonly<Record<string, string | undefined>>

/** The one place that reads the environment. */
export function readConfig(env: Env = process.env): Config {
  const problems: string[] = []
  const readSetting = (name: string) => env[name]?.trim() || null
  const reportProblem = <T>(fallback: T, problem: string): T => {
    problems.push(problem)
    return fallback
  }
  const readSwitch = <T>(name: string, fallback: T): boolean | T => {
    const value = readSetting(name)?.toLowerCase()
    if (value === undefined) return fallback
    if (value === 'on' || value === 'off') return value === 'on'
    return reportProblem(fallback, `${name} must be on or off, not "${value}"`)
  }

  const portText = readSetting('PORT') ?? '3000'
  const port =
    /^\d{1,5}$/u.test(portText) && Number(portText) < 65_536
      ? Number(portText)
      : reportProblem(3000, `PORT must be a number from 0 to 65535, not "${portText}"`)

  const givenUrl = readSetting('PUBLIC_URL')
  const publicUrl =
    givenUrl === null
      ? `http://localhost:${port}`
      : (parseOrigin(givenUrl) ??
        reportProblem(
          `http://localhost:${port}`,
          `PUBLIC_URL must be an origin such as https://tables.example.com, not "${givenUrl}"`,
        ))

  const databaseUrl = readSetting('DATABASE_URL') ?? defaultUrl
  if (!/^(file:.|postgres(ql)?:\/\/)/u.test(databaseUrl)) {
    problems.push('DATABASE_URL must begin with file: or postgres://')
  }
  const redisUrl = readSetting('REDIS_URL')
  if (redisUrl !== null && !/^rediss?:\/\//u.test(redisUrl))
    problems.push('REDIS_URL must begin with redis:// or rediss://')

  const trustProxy = (readSetting('TRUST_PROXY') ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  for (const proxy of trustProxy) {
    if (!isValidProxy(proxy))
      problems.push(
        `TRUST_PROXY: "${proxy}" is no address, network or one of loopback, linklocal, uniquelocal`,
      )
  }

  const [issuer, clientId, clientSecret] = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'].map(
    readSetting,
  )
  const oidc = issuer && clientId && clientSecret ? { issuer, clientId, clientSecret } : null
  if (!oidc && (issuer || clientId || clientSecret))
    problems.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set all three, or none of them')
  if (issuer && !isValidIssuer(issuer))
    problems.push(`OIDC_ISSUER must be an https address (http on this machine only), not "${issuer}"`)

  const demo = readSwitch('DEMO', 'auto' as const)
  const billing = readSwitch('BILLING', true)
  const production = readSetting('NODE_ENV') === 'production'
  const stripe = readStripeSettings(readSetting, problems)
  const sandboxAllowed = readSetting('PAYMENTS_ALLOW_SANDBOX')?.toLowerCase() ?? 'off'
  if (!['on', 'off', '1', '0'].includes(sandboxAllowed))
    problems.push(`PAYMENTS_ALLOW_SANDBOX must be on or off, not "${sandboxAllowed}"`)
  if (production && billing && stripe === null && !['on', '1'].includes(sandboxAllowed)) {
    problems.push(
      'Nobody would be charged: set the STRIPE_ keys, or BILLING=off, or PAYMENTS_ALLOW_SANDBOX=on to show the sandbox',
    )
  }

  const host = readSetting('HOST') ?? 'localhost'
  const insecureHttp = readSwitch('ALLOW_INSECURE_HTTP', false)
  if (production && !insecureHttp && !isLoopback(host) && !publicUrl.startsWith('https:')) {
    problems.push(
      `Passwords would cross the network unencrypted: with HOST=${host} set PUBLIC_URL to the https address that guests and crews open, or listen on localhost only, or say ALLOW_INSECURE_HTTP=on`,
    )
  }

  const config: Config = {
    port,
    host,
    publicUrl,
    origins: givenUrl === null ? [publicUrl, `http://127.0.0.1:${port}`] : [publicUrl],
    databaseUrl,
    redisUrl,
    demo,
    production,
    billing,
    stripe,
    trustProxy,
    guestLimits: readSwitch('GUEST_LIMITS', true),
    defaultRestaurant: readSetting('DEFAULT_RESTAURANT'),
    metricsToken: readSetting('METRICS_TOKEN'),
    oidc,
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return config
}

/** All three keys or none, and all of the same mode. */
function readStripeSettings(
  text: (name: string) => string | null,
  problems: string[],
): StripeSettings | null {
  const secretKey = text('STRIPE_SECRET_KEY')
  const publishableKey = text('STRIPE_PUBLISHABLE_KEY')
  const webhookSecret = text('STRIPE_WEBHOOK_SECRET')
  if (secretKey === null && publishableKey === null && webhookSecret === null) return null
  if (secretKey === null || publishableKey === null || webhookSecret === null) {
    problems.push(
      'STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET must be set all three, or none of them',
    )
    return null
  }
  const [, mode] = /^(?:sk|rk)_(test|live)_\w+$/u.exec(secretKey) ?? []
  const [, publicMode] = /^pk_(test|live)_\w+$/u.exec(publishableKey) ?? []
  if (mode === undefined) problems.push('STRIPE_SECRET_KEY must begin with sk_test_, sk_live_ or rk_')
  if (publicMode === undefined) problems.push('STRIPE_PUBLISHABLE_KEY must begin with pk_test_ or pk_live_')
  if (mode !== undefined && publicMode !== undefined && mode !== publicMode)
    problems.push('STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must be of the same mode, test or live')
  const webhookSecrets = webhookSecret.split(',').map((secret) => secret.trim())
  if (!webhookSecrets.every((secret) => /^whsec_\S+$/u.test(secret)))
    problems.push('STRIPE_WEBHOOK_SECRET must begin with whsec_; several are parted by commas')
  return { secretKey, publishableKey, webhookSecrets }
}

/** Whether only this machine can reach it. */
function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true
  const loopback = new BlockList()
  loopback.addSubnet('127.0.0.0', 8)
  loopback.addAddress('::1', 'ipv6')
  const family = isIP(host)
  return family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4')
}

function parseOrigin(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { origin, protocol, href } = new URL(url)
  return /^https?:$/u.test(protocol) && href === `${origin}/` ? origin : null
}

function isValidIssuer(text: string): boolean {
  const url = URL.parse(text)
  if (!url || url.search !== '' || url.hash !== '' || url.username !== '') return false
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && local)
}

function isValidProxy(text: string): boolean {
  const [address = '', bits] = text.split('/')
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return most > 0 && (bits === undefined || (/^\d{1,3}$/u.test(bits) && Number(bits) <= most))
}
