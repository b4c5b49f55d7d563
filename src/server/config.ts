import { isIP } from 'node:net'

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
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  trustProxy: string[]
  guestLimits: boolean
  defaultRestaurant: string | null
  metricsToken: string | null
}

/** A wrong setting stops the start; every problem is told at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Env = Readonly<Record<string, string | undefined>>

/** The one place that reads the environment. */
export function readConfig(env: Env = process.env): Config {
  const problems: string[] = []
  const text = (name: string) => env[name]?.trim() || null
  const complain = <T>(fallback: T, problem: string): T => {
    problems.push(problem)
    return fallback
  }
  const onOff = <T>(name: string, fallback: T): boolean | T => {
    const value = text(name)?.toLowerCase()
    if (value === undefined) return fallback
    if (value === 'on' || value === 'off') return value === 'on'
    return complain(fallback, `${name} must be on or off, not "${value}"`)
  }

  const portText = text('PORT') ?? '3000'
  const port =
    /^\d{1,5}$/u.test(portText) && Number(portText) < 65_536
      ? Number(portText)
      : complain(3000, `PORT must be a number from 0 to 65535, not "${portText}"`)

  const givenUrl = text('PUBLIC_URL')
  const publicUrl =
    givenUrl === null
      ? `http://localhost:${port}`
      : (originOf(givenUrl) ??
        complain(
          `http://localhost:${port}`,
          `PUBLIC_URL must be an origin such as https://tables.example.com, not "${givenUrl}"`,
        ))

  const databaseUrl = text('DATABASE_URL') ?? 'file:./data/tableside.db'
  if (!/^(file:|postgres(ql)?:\/\/)/u.test(databaseUrl)) {
    problems.push('DATABASE_URL must begin with file: or postgres://')
  }
  const redisUrl = text('REDIS_URL')
  if (redisUrl !== null && !/^rediss?:\/\//u.test(redisUrl))
    problems.push('REDIS_URL must begin with redis:// or rediss://')

  const trustProxy = (text('TRUST_PROXY') ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  for (const proxy of trustProxy) {
    if (!isProxy(proxy))
      problems.push(
        `TRUST_PROXY: "${proxy}" is no address, network or one of loopback, linklocal, uniquelocal`,
      )
  }

  const config: Config = {
    port,
    host: text('HOST') ?? 'localhost',
    publicUrl,
    origins: givenUrl === null ? [publicUrl, `http://127.0.0.1:${port}`] : [publicUrl],
    databaseUrl,
    redisUrl,
    demo: onOff('DEMO', 'auto' as const),
    production: text('NODE_ENV') === 'production',
    billing: onOff('BILLING', true),
    trustProxy,
    guestLimits: onOff('GUEST_LIMITS', true),
    defaultRestaurant: text('DEFAULT_RESTAURANT'),
    metricsToken: text('METRICS_TOKEN'),
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return config
}

function originOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { origin, protocol, pathname, search } = new URL(url)
  return /^https?:$/u.test(protocol) && pathname === '/' && search === '' ? origin : null
}

function isProxy(text: string): boolean {
  const [address = '', bits] = text.split('/')
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return most > 0 && (bits === undefined || (/^\d{1,3}$/u.test(bits) && Number(bits) <= most))
}
