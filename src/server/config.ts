import ipaddr from 'ipaddr.js'
import type { StripeSettings } from './adapters/payments/stripe/client.ts'
import { isLoopback } from './http/client-address.ts'
import { defaultUrl } from './storage/engine/sqlite.ts'

export type Config = {
  port: number
  host: string
  /** Origin of links and cookies, without a trailing slash. */
  publicUrl: string
  /** Origins of our own pages, as Origin headers name them. */
  origins: string[]
  databaseUrl: string
  redisUrl: string | null
  /** `auto`: on if the database is empty and this is not production. */
  demo: boolean | 'auto'
  production: boolean
  billing: boolean
  /** If null, payments go to the sandbox, which charges nobody. */
  stripe: StripeSettings | null
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  trustProxy: string[]
  guestLimits: boolean
  defaultRestaurant: string | null
  metricsToken: string | null
  /** The OpenID Connect provider that owners sign in with. */
  oidc: { issuer: string; clientId: string; clientSecret: string } | null
}

/** Invalid settings prevent the start; all problems are reported at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Env = Readonly<Record<string, string | undefined>>

/** The one place that reads the environment. */
export function readConfig(env: Env = process.env): Config {
  const settings = new SettingsReader(env)
  const config = {
    ...readAddresses(settings),
    ...readStorage(settings),
    ...readPayments(settings),
    oidc: readOpenId(settings),
    trustProxy: readTrustedProxies(settings),
    demo: settings.readSwitch('DEMO', 'auto' as const),
    production: isProduction(settings),
    guestLimits: settings.readSwitch('GUEST_LIMITS', true),
    defaultRestaurant: settings.read('DEFAULT_RESTAURANT'),
    metricsToken: settings.read('METRICS_TOKEN'),
  }
  if (settings.problems.length > 0) throw new ConfigError(settings.problems.join('\n'))
  return config
}

class SettingsReader {
  readonly problems: string[] = []
  #env: Env

  constructor(env: Env) {
    this.#env = env
  }

  read(name: string): string | null {
    return this.#env[name]?.trim() || null
  }

  readSwitch<T>(name: string, fallback: T): boolean | T {
    const value = this.read(name)?.toLowerCase()
    if (value === 'on' || value === 'off') return value === 'on'
    if (value !== undefined) this.problems.push(`${name} must be on or off, not "${value}"`)
    return fallback
  }
}

const isProduction = (settings: SettingsReader): boolean => settings.read('NODE_ENV') === 'production'

function readAddresses(settings: SettingsReader): Pick<Config, 'port' | 'host' | 'publicUrl' | 'origins'> {
  const host = settings.read('HOST') ?? 'localhost'
  const port = readPort(settings)
  const givenUrl = settings.read('PUBLIC_URL')
  const givenOrigin = givenUrl === null ? null : parseOrigin(givenUrl)
  if (givenUrl !== null && givenOrigin === null)
    settings.problems.push(
      `PUBLIC_URL must be an origin such as https://tables.example.com, not "${givenUrl}"`,
    )
  const publicUrl = givenOrigin ?? `http://localhost:${port}`
  const isLocal = host.toLowerCase() === 'localhost' || isLoopback(host)
  const allowsInsecureHttp = settings.readSwitch('ALLOW_INSECURE_HTTP', false)
  if (isProduction(settings) && !allowsInsecureHttp && !isLocal && !publicUrl.startsWith('https:')) {
    settings.problems.push(
      `Passwords would cross the network unencrypted: with HOST=${host} set PUBLIC_URL to the https address that guests and crews open, or listen on localhost only, or say ALLOW_INSECURE_HTTP=on`,
    )
  }
  const origins = givenUrl === null ? [publicUrl, `http://127.0.0.1:${port}`] : [publicUrl]
  return { port, host, publicUrl, origins }
}

function readPort(settings: SettingsReader): number {
  const port = settings.read('PORT') ?? '3000'
  if (/^\d{1,5}$/u.test(port) && Number(port) < 65_536) return Number(port)
  settings.problems.push(`PORT must be a number from 0 to 65535, not "${port}"`)
  return 3000
}

function readStorage(settings: SettingsReader): Pick<Config, 'databaseUrl' | 'redisUrl'> {
  const databaseUrl = settings.read('DATABASE_URL') ?? defaultUrl
  if (!/^(file:.|postgres(ql)?:\/\/)/u.test(databaseUrl))
    settings.problems.push('DATABASE_URL must begin with file: or postgres://')
  const redisUrl = settings.read('REDIS_URL')
  if (redisUrl !== null && !/^rediss?:\/\//u.test(redisUrl))
    settings.problems.push('REDIS_URL must begin with redis:// or rediss://')
  return { databaseUrl, redisUrl }
}

function readTrustedProxies(settings: SettingsReader): string[] {
  const proxies = (settings.read('TRUST_PROXY') ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  for (const proxy of proxies) {
    if (!isValidProxy(proxy))
      settings.problems.push(
        `TRUST_PROXY: "${proxy}" is no address, network or one of loopback, linklocal, uniquelocal`,
      )
  }
  return proxies
}

function readOpenId(settings: SettingsReader): Config['oidc'] {
  const issuer = settings.read('OIDC_ISSUER')
  const clientId = settings.read('OIDC_CLIENT_ID')
  const clientSecret = settings.read('OIDC_CLIENT_SECRET')
  if (issuer && !isValidIssuer(issuer))
    settings.problems.push(
      `OIDC_ISSUER must be an https address (http on this machine only), not "${issuer}"`,
    )
  if (issuer && clientId && clientSecret) return { issuer, clientId, clientSecret }
  if (issuer || clientId || clientSecret)
    settings.problems.push(
      'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set all three, or none of them',
    )
  return null
}

function readPayments(settings: SettingsReader): Pick<Config, 'billing' | 'stripe'> {
  const billing = settings.readSwitch('BILLING', true)
  const stripe = readStripe(settings)
  const sandboxSwitch = settings.read('PAYMENTS_ALLOW_SANDBOX')?.toLowerCase() ?? 'off'
  if (!['on', 'off', '1', '0'].includes(sandboxSwitch))
    settings.problems.push(`PAYMENTS_ALLOW_SANDBOX must be on or off, not "${sandboxSwitch}"`)
  const allowsSandbox = ['on', '1'].includes(sandboxSwitch)
  if (isProduction(settings) && billing && stripe === null && !allowsSandbox) {
    settings.problems.push(
      'Nobody would be charged: set the STRIPE_ keys, or BILLING=off, or PAYMENTS_ALLOW_SANDBOX=on to show the sandbox',
    )
  }
  return { billing, stripe }
}

/** All three keys or none, and all for the same mode. */
function readStripe(settings: SettingsReader): StripeSettings | null {
  const { problems } = settings
  const secretKey = settings.read('STRIPE_SECRET_KEY')
  const publishableKey = settings.read('STRIPE_PUBLISHABLE_KEY')
  const webhookSecret = settings.read('STRIPE_WEBHOOK_SECRET')
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

/** As the proxy library reads them, except for short forms of IPv4 such as 10.1. */
function isValidProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const { IPv4, IPv6 } = ipaddr
  return (
    IPv4.isValidFourPartDecimal(text) ||
    IPv4.isValidCIDRFourPartDecimal(text) ||
    IPv6.isValid(text) ||
    IPv6.isValidCIDR(text)
  )
}
