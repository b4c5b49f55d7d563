import { accessSync, constants } from 'node:fs'
import { availableParallelism } from 'node:os'
import ipaddr from 'ipaddr.js'
import * as v from 'valibot'
import { Email } from '#contract/accounts/account-forms.ts'
import { dayMs, hourMs, minuteMs } from '#contract/durations.ts'
import type { MailSettings } from './adapters/mailer.ts'
import type { StripeSettings } from './adapters/payments/stripe/client.ts'
import type { TracingSettings } from './adapters/tracing.ts'
import type { BackupSchedule } from './backup/schedule.ts'
import { isLoopback } from './http/client-address.ts'
import { isPostgres } from './storage/engine/database.ts'
import { hostOf, readParameter, serverUrls, withParameters } from './storage/engine/postgres/postgres-url.ts'
import { defaultUrl, toFilePath } from './storage/engine/sqlite/sqlite.ts'

export type Config = {
  port: number
  host: string
  /** Origin of links and cookies, without a trailing slash. */
  publicUrl: string
  /** Origins of our own pages, as Origin headers name them. */
  origins: string[]
  databaseUrl: string
  /** PostgreSQL itself, if `databaseUrl` leads to a pooler. */
  databaseDirectUrl: string | null
  redisUrl: string | null
  /** `auto`: on if the database is empty and this is not production. */
  demo: boolean | 'auto'
  /** Whether visitors may try a demo restaurant of their own for an hour. */
  tryDemo: boolean
  production: boolean
  billing: boolean
  /** If null, payments go to the sandbox, which charges nobody. */
  stripe: StripeSettings | null
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  trustProxy: string[]
  guestLimits: boolean
  /** Whether phones keep the guest page, so that it opens at once. */
  guestWorker: boolean
  defaultRestaurant: string | null
  metricsToken: string | null
  /** Where traces are sent, and which part of them. If null, none are made. */
  tracing: TracingSettings | null
  /** How long a server that stops goes on as before after it has stopped being ready. */
  drainSeconds: number
  /** How many processes serve the port together. */
  workers: number
  /** The OpenID Connect provider that owners sign in with. */
  oidc: { issuer: string; clientId: string; clientSecret: string } | null
  /** If null, no e-mail is sent and none is offered. */
  mail: MailSettings | null
  /** Hosts, addresses and networks that owners may have called although they are not public. */
  outboundAllow: string[]
  /** If null, nothing is backed up by itself. */
  backup: BackupSchedule | null
  /** A folder of catalogues beside our own: more languages, or other words. */
  catalogues: string | null
}

/** Invalid settings prevent the start; all problems are reported at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type Env = Readonly<Record<string, string | undefined>>

/** What programs are started with. Here and below alone the environment is read. */
export const childEnvironment = (): Env => process.env

export function readConfig(env: Env = process.env): Config {
  const settings = new SettingsReader(env)
  const config = {
    ...readAddresses(settings),
    ...readStorage(settings),
    ...readPayments(settings),
    oidc: readOpenId(settings),
    mail: readMail(settings),
    backup: readBackup(settings),
    outboundAllow: readOutboundAllow(settings),
    trustProxy: readTrustedProxies(settings),
    demo: settings.readSwitch('DEMO', 'auto' as const),
    tryDemo: settings.readSwitch('TRY_DEMO', false),
    production: isProduction(settings),
    guestLimits: settings.readSwitch('GUEST_LIMITS', true),
    guestWorker: settings.readSwitch('GUEST_WORKER', true),
    defaultRestaurant: settings.read('DEFAULT_RESTAURANT'),
    catalogues: settings.read('CATALOGUES'),
    metricsToken: settings.read('METRICS_TOKEN'),
    tracing: readTracing(settings),
    workers: readWorkers(settings),
    drainSeconds: settings.readNumber('DRAIN_SECONDS', { max: 600, fallback: 0 }),
  }
  if (settings.problems.length > 0) throw new ConfigError(settings.problems.join('\n'))
  return config
}

export type BillingBootstrap = Pick<StripeSettings, 'api'> & {
  secretKey: string | null
  publicUrl: string | null
}

/** Before the server's own settings are complete: the secret of the webhook is not known yet. */
export function readBillingBootstrap(env: Env = process.env): BillingBootstrap {
  const settings = new SettingsReader(env)
  const publicUrl = settings.read('PUBLIC_URL')?.replace(/\/$/u, '') ?? null
  return {
    secretKey: settings.read('STRIPE_SECRET_KEY'),
    publicUrl: publicUrl?.startsWith('https:') === true ? publicUrl : null,
  }
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

  /** Separated by commas. */
  readList(name: string): string[] {
    return (this.read(name) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
  }

  readSwitch<T>(name: string, fallback: T): boolean | T {
    const value = this.read(name)?.toLowerCase()
    if (value === 'on' || value === 'off') return value === 'on'
    if (value !== undefined) this.problems.push(`${name} must be on or off, not "${value}"`)
    return fallback
  }

  readNumber(name: string, range: { min?: number; max: number; fallback: number }): number {
    const { min = 0, max, fallback } = range
    const value = this.read(name)
    if (value === null) return fallback
    const number = Number(value)
    if (/^\d{1,5}$/u.test(value) && number >= min && number <= max) return number
    this.problems.push(`${name} must be a number from ${min} to ${max}, not "${value}"`)
    return fallback
  }
}

const isProduction = (settings: SettingsReader): boolean => settings.read('NODE_ENV') === 'production'

function readAddresses(settings: SettingsReader): Pick<Config, 'port' | 'host' | 'publicUrl' | 'origins'> {
  const host = settings.read('HOST') ?? 'localhost'
  const port = settings.readNumber('PORT', { max: 65_535, fallback: 3000 })
  const givenUrl = settings.read('PUBLIC_URL')
  const givenOrigin = givenUrl === null ? null : parseOrigin(givenUrl)
  if (givenUrl !== null && givenOrigin === null)
    // Not quoted: it may contain a password.
    settings.problems.push('PUBLIC_URL must be an origin such as https://tables.example.com')
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

function readStorage(
  settings: SettingsReader,
): Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'redisUrl'> {
  const databaseUrl = settings.read('DATABASE_URL') ?? defaultUrl
  if (!/^(file:.|postgres(ql)?:\/\/)/u.test(databaseUrl))
    settings.problems.push('DATABASE_URL must begin with file: or postgres://')
  else if (databaseUrl.startsWith('file:') && !isFilePath(databaseUrl))
    settings.problems.push(
      'DATABASE_URL is not a path such as file:./data/tableside.db or file:///var/lib/tableside/tableside.db',
    )
  const databaseDirectUrl = settings.read('DATABASE_DIRECT_URL')
  if (databaseDirectUrl !== null && !isPostgres(databaseDirectUrl))
    settings.problems.push('DATABASE_DIRECT_URL must begin with postgres://')
  const secure = readDatabaseTls(settings)
  if (databaseDirectUrl !== null && databaseUrl.startsWith('file:'))
    settings.problems.push('DATABASE_DIRECT_URL is only for a DATABASE_URL that begins with postgres://')
  if (
    databaseDirectUrl !== null &&
    [databaseUrl, databaseDirectUrl].some((url) => serverUrls(url).length > 1)
  )
    settings.problems.push(
      'DATABASE_URL and DATABASE_DIRECT_URL must name one host each, because the pooler decides where transactions go: let both lead to the server that takes writes',
    )
  const redisUrl = settings.read('REDIS_URL')
  if (redisUrl !== null && !/^rediss?:\/\//u.test(redisUrl))
    settings.problems.push('REDIS_URL must begin with redis:// or rediss://')
  else if (redisUrl !== null && !isRedisAddress(redisUrl))
    // Not quoted: it may contain the password.
    settings.problems.push('REDIS_URL is not an address such as redis://name:password@host:6379')
  return {
    databaseUrl: secure('DATABASE_URL', databaseUrl),
    databaseDirectUrl: databaseDirectUrl && secure('DATABASE_DIRECT_URL', databaseDirectUrl),
    redisUrl,
  }
}

/** What `sslmode` may not say where the connection must be encrypted and the server verified. */
const weakModes = ['disable', 'allow', 'prefer', 'no-verify']

/** Returns what makes a URL of PostgreSQL demand TLS where that is wanted. */
function readDatabaseTls(settings: SettingsReader): (name: string, url: string) => string {
  const wanted = settings.readSwitch('DATABASE_TLS', 'auto' as const)
  const authority = settings.read('DATABASE_CA')
  if (authority !== null && !isReadable(authority))
    settings.problems.push(`DATABASE_CA: the file ${authority} cannot be read`)
  const isDemanded = (url: string): boolean => {
    const hosts = serverUrls(url).map(hostOf)
    if (wanted !== 'auto') return wanted && !hosts.every(isSocketFolder)
    return (isProduction(settings) || authority !== null) && !hosts.every(isThisMachine)
  }
  return (name, url) => {
    if (!isPostgres(url)) return url
    const servers = serverUrls(url)
    const isNamed = (each: string) => servers.length === 1 || hostOf(each) !== ''
    if (!servers.every((each) => URL.canParse(each) && isNamed(each))) {
      // Not quoted: it may contain the password.
      settings.problems.push(`${name} is not an address such as postgres://name:password@host:5432/database`)
      return url
    }
    if (!isDemanded(url)) return url
    const mode = readParameter(url, 'sslmode')
    if (mode !== null && weakModes.includes(mode))
      settings.problems.push(
        `${name} says sslmode=${mode}, so others on the network could read or pretend to be the database: leave it out, or say DATABASE_TLS=off`,
      )
    return withParameters(url, {
      sslmode: 'verify-full',
      uselibpqcompat: null,
      ...(authority !== null && { sslrootcert: authority }),
    })
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

const isSocketFolder = (host: string): boolean => host.startsWith('/')

const isThisMachine = (host: string): boolean =>
  host === '' || isSocketFolder(host) || host.toLowerCase() === 'localhost' || isLoopback(host)

/** With more, their connections would exceed the hundred that PostgreSQL allows by default. */
const maxAutoWorkers = 12

function readWorkers(settings: SettingsReader): number {
  const isAuto = settings.read('WORKERS')?.toLowerCase() === 'auto'
  const workers = isAuto
    ? Math.min(availableParallelism(), maxAutoWorkers)
    : settings.readNumber('WORKERS', { min: 1, max: 64, fallback: 1 })
  if (workers > 1 && !settings.read('DATABASE_URL')?.startsWith('postgres'))
    settings.problems.push(
      'WORKERS needs PostgreSQL: an SQLite database belongs to one process, so set DATABASE_URL to postgres://… or leave WORKERS at 1',
    )
  return workers
}

function readTrustedProxies(settings: SettingsReader): string[] {
  const proxies = settings.readList('TRUST_PROXY')
  for (const proxy of proxies) {
    if (!isValidProxy(proxy))
      settings.problems.push(
        `TRUST_PROXY: "${proxy}" is not an address, a network or one of loopback, linklocal, uniquelocal`,
      )
  }
  return proxies
}

function readOpenId(settings: SettingsReader): Config['oidc'] {
  const issuer = settings.read('OIDC_ISSUER')
  const clientId = settings.read('OIDC_CLIENT_ID')
  const clientSecret = settings.read('OIDC_CLIENT_SECRET')
  // Not quoted: it may contain a password.
  if (issuer && !isValidIssuer(issuer))
    settings.problems.push(
      'OIDC_ISSUER must be an https address (http on this machine only), without a query or a password',
    )
  if (issuer && clientId && clientSecret) return { issuer, clientId, clientSecret }
  if (issuer || clientId || clientSecret)
    settings.problems.push(
      'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set all three, or none of them',
    )
  return null
}

const durations: Record<string, number> = { m: minuteMs, h: hourMs, d: dayMs }

function readBackup(settings: SettingsReader): Config['backup'] {
  const folder = settings.read('BACKUP_DIR')
  const every = settings.read('BACKUP_EVERY')
  const keep = settings.readNumber('BACKUP_KEEP', { min: 1, max: 9_999, fallback: 7 })
  const [, count, unit = ''] = /^([1-9]\d{0,3})([mhd])$/u.exec(every ?? '24h') ?? []
  const everyMs = Number(count) * (durations[unit] ?? 0)
  if (count === undefined || everyMs < 5 * minuteMs || everyMs > 366 * dayMs)
    settings.problems.push(
      `BACKUP_EVERY must be a time such as 90m, 24h or 7d, from 5m to 366d, not "${every}"`,
    )
  if (folder === null && (every !== null || settings.read('BACKUP_KEEP') !== null))
    settings.problems.push('BACKUP_EVERY and BACKUP_KEEP need BACKUP_DIR, the folder for the backups')
  return folder === null ? null : { folder, everyMs, keep }
}

function readMail(settings: SettingsReader): Config['mail'] {
  const url = settings.read('SMTP_URL')
  const sender = settings.read('MAIL_FROM')
  // Not quoted: the address may contain the password.
  if (url !== null && !isValidSmtpUrl(url))
    settings.problems.push('SMTP_URL must be such as smtp://name:password@mail.example.com:587, or smtps://…')
  const from = sender === null ? null : parseSender(sender)
  if (sender !== null && from === null)
    settings.problems.push(
      `MAIL_FROM must be an address, such as Tableside <alerts@example.com>, not "${sender}"`,
    )
  if ((url === null) !== (sender === null))
    settings.problems.push('SMTP_URL and MAIL_FROM must be set both, or neither of them')
  return url !== null && from !== null ? { url, from } : null
}

function isValidSmtpUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !/^smtps?:$/u.test(url.protocol) || url.hostname === '') return false
  return /^\/?$/u.test(url.pathname) && url.search === '' && url.hash === '' && isDecodable(url)
}

function isRedisAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^\/?\d*$/u.test(url.pathname) && isDecodable(url)
}

function isFilePath(url: string): boolean {
  try {
    toFilePath(url)
    return true
  } catch {
    return false
  }
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

function parseSender(text: string): MailSettings['from'] | null {
  const [, name = '', address = text] = /^([^<>"]*)<([^<>]+)>$/u.exec(text) ?? []
  return v.is(Email, address) ? { name: name.trim(), address } : null
}

/** Their names are those of OpenTelemetry. */
function readTracing(settings: SettingsReader): Config['tracing'] {
  const endpoint = settings.read('OTEL_EXPORTER_OTLP_ENDPOINT')
  const ratioText = settings.read('OTEL_TRACES_SAMPLER_ARG') ?? '1'
  const ratio = Number(ratioText)
  if (!/^(0|1|0?\.\d{1,6})$/u.test(ratioText))
    settings.problems.push(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${ratioText}"`)
  if (endpoint === null) return null
  const url = URL.parse(endpoint)
  // Not quoted: the address may contain a password.
  if (url === null || !/^https?:$/u.test(url.protocol) || url.search !== '' || url.hash !== '') {
    settings.problems.push('OTEL_EXPORTER_OTLP_ENDPOINT must be such as http://localhost:4318')
    return null
  }
  return { url: `${url.href.replace(/\/$/u, '')}/v1/traces`, ratio }
}

function readOutboundAllow(settings: SettingsReader): string[] {
  const entries = settings.readList('OUTBOUND_ALLOW')
  for (const entry of entries) {
    if (!isAddressOrNetwork(entry) && !/^([\w-]+\.)*[a-z][\w-]*$/iu.test(entry))
      settings.problems.push(`OUTBOUND_ALLOW: "${entry}" is not a host name, an address or a network`)
  }
  return entries
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

const isValidProxy = (text: string): boolean =>
  ['loopback', 'linklocal', 'uniquelocal'].includes(text) || isAddressOrNetwork(text)

/** As the proxy library reads them, except for short forms of IPv4 such as 10.1. */
function isAddressOrNetwork(text: string): boolean {
  const { IPv4, IPv6 } = ipaddr
  return (
    IPv4.isValidFourPartDecimal(text) ||
    IPv4.isValidCIDRFourPartDecimal(text) ||
    IPv6.isValid(text) ||
    IPv6.isValidCIDR(text)
  )
}
