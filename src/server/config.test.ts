import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const oidc = {
  OIDC_ISSUER: 'https://id.example.com/realms/floor',
  OIDC_CLIENT_ID: 'tableside',
  OIDC_CLIENT_SECRET: 'a secret',
}

/** All problems that prevent the start. */
function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n').toSorted()
    throw error
  }
}

describe('the settings', () => {
  it('are exactly those in the README', () => {
    const readme = readFileSync('README.md', 'utf8')
    const documented = [...readme.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gmu)].flatMap(
      ([, names = '']) => names.replaceAll('`', '').split(', '),
    )
    const read = new Set<string>()
    readConfig(new Proxy({}, { get: (_, name) => void read.add(String(name)) }))
    expect(documented.toSorted()).toEqual([...read].toSorted())
  })

  it('are all optional', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: 'localhost',
      publicUrl: 'http://localhost:3000',
      origins: ['http://localhost:3000', 'http://127.0.0.1:3000'],
      databaseUrl: 'file:./data/tableside.db',
      redisUrl: null,
      demo: 'auto',
      production: false,
      billing: true,
      trustProxy: [],
      guestLimits: true,
      guestWorker: true,
      defaultRestaurant: null,
      metricsToken: null,
      tracing: null,
      drainSeconds: 0,
      workers: 1,
      mail: null,
      outboundAllow: [],
      catalogues: null,
    })
    const blank = [
      'PORT',
      'HOST',
      'PUBLIC_URL',
      'DATABASE_URL',
      'REDIS_URL',
      'DEMO',
      'BILLING',
      'TRUST_PROXY',
      'SMTP_URL',
      'MAIL_FROM',
      'OUTBOUND_ALLOW',
      'CATALOGUES',
    ]
    expect(readConfig(Object.fromEntries(blank.map((name) => [name, ' '])))).toEqual(readConfig({}))
  })

  it('are parsed', () => {
    expect(
      readConfig({
        PORT: '8080',
        HOST: '0.0.0.0',
        PUBLIC_URL: ' https://tables.example.com/ ',
        DATABASE_URL: 'postgres://app@db/tableside',
        DATABASE_DIRECT_URL: 'postgres://app@db:5433/tableside',
        REDIS_URL: 'rediss://cache:6380',
        DEMO: 'OFF',
        BILLING: 'off',
        TRUST_PROXY: 'loopback, 10.0.0.0/8,2001:db8::/32, 192.0.2.7',
        GUEST_LIMITS: 'Off',
        DEFAULT_RESTAURANT: 'The Copper Pot',
        METRICS_TOKEN: 'abc',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://traces.example.com/tenant/',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
        DRAIN_SECONDS: '20',
        WORKERS: '4',
        SMTP_URL: 'smtps://me%40example.com:p%3Aw@mail.example.com',
        MAIL_FROM: 'The Tableside <alerts@example.com>',
        OUTBOUND_ALLOW: 'ntfy.lan, 192.168.1.0/24,fd00::1',
      }),
    ).toMatchObject({
      port: 8080,
      host: '0.0.0.0',
      publicUrl: 'https://tables.example.com',
      origins: ['https://tables.example.com'],
      databaseUrl: 'postgres://app@db/tableside',
      databaseDirectUrl: 'postgres://app@db:5433/tableside',
      redisUrl: 'rediss://cache:6380',
      demo: false,
      billing: false,
      trustProxy: ['loopback', '10.0.0.0/8', '2001:db8::/32', '192.0.2.7'],
      guestLimits: false,
      defaultRestaurant: 'The Copper Pot',
      metricsToken: 'abc',
      tracing: { url: 'https://traces.example.com/tenant/v1/traces', ratio: 0.25 },
      drainSeconds: 20,
      workers: 4,
      mail: {
        url: 'smtps://me%40example.com:p%3Aw@mail.example.com',
        from: { name: 'The Tableside', address: 'alerts@example.com' },
      },
      outboundAllow: ['ntfy.lan', '192.168.1.0/24', 'fd00::1'],
    })
    const databaseUrl = 'postgres://db/x'
    expect(readConfig({ DATABASE_URL: databaseUrl, WORKERS: 'auto' }).workers).toBe(availableParallelism())
    expect(readConfig({ DEMO: 'on', PORT: '0' })).toMatchObject({ demo: true, port: 0 })
    expect(readConfig({ PORT: '8080' }).publicUrl).toBe('http://localhost:8080')
    expect(readConfig({ DATABASE_URL: 'postgresql://db/x' }).databaseUrl).toBe('postgresql://db/x')
  })

  const origin = 'PUBLIC_URL must be an origin such as https://tables.example.com'
  const mailPair = 'SMTP_URL and MAIL_FROM must be set both, or neither of them'
  const wrong: [string, string, string][] = [
    ...['x', '-1', '65536', '80.5', '0x50', '1e3', '3000 3001'].map((value): [string, string, string] => [
      'PORT',
      value,
      `PORT must be a number from 0 to 65535, not "${value}"`,
    ]),
    ...['x', '0', '65', '1.5'].map((value): [string, string, string] => [
      'WORKERS',
      value,
      `WORKERS must be a number from 1 to 64, not "${value}"`,
    ]),
    [
      'WORKERS',
      '2',
      'WORKERS needs PostgreSQL: an SQLite database belongs to one process, so set DATABASE_URL to postgres://… or leave WORKERS at 1',
    ],
    ...['x', '-1', '601', '1.5'].map((value): [string, string, string] => [
      'DRAIN_SECONDS',
      value,
      `DRAIN_SECONDS must be a number from 0 to 600, not "${value}"`,
    ]),
    ...[
      'tables.example.com',
      'ftp://tables.example.com',
      'https://tables.example.com/app',
      'https://tables.example.com/?a=b',
      'https://tables.example.com/#a',
      'https://me:secret@tables.example.com',
      'https://',
    ].map((value): [string, string, string] => ['PUBLIC_URL', value, origin]),
    ...['./data.db', 'mysql://db', 'file:'].map((value): [string, string, string] => [
      'DATABASE_URL',
      value,
      'DATABASE_URL must begin with file: or postgres://',
    ]),
    [
      'DATABASE_DIRECT_URL',
      'postgres://db/x',
      'DATABASE_DIRECT_URL is only for a DATABASE_URL that begins with postgres://',
    ],
    ...['file://me:secret@host/data.db', 'file:///data%2Ftableside.db'].map(
      (value): [string, string, string] => [
        'DATABASE_URL',
        value,
        'DATABASE_URL is not a path such as file:./data/tableside.db or file:///var/lib/tableside/tableside.db',
      ],
    ),
    ['REDIS_URL', 'cache:6379', 'REDIS_URL must begin with redis:// or rediss://'],
    ...[
      'redis://me:se/cret@cache:6379',
      'redis://me:%zz@cache',
      'rediss://cache:port',
      'redis://cache/one',
    ].map((value): [string, string, string] => [
      'REDIS_URL',
      value,
      'REDIS_URL is not an address such as redis://name:password@host:6379',
    ]),
    ...['DEMO', 'BILLING', 'GUEST_LIMITS', 'ALLOW_INSECURE_HTTP'].flatMap((name) =>
      ['yes', '1', 'true'].map((value): [string, string, string] => [
        name,
        value,
        `${name} must be on or off, not "${value}"`,
      ]),
    ),
    ...[
      'mail.example.com',
      'https://mail.example.com',
      'smtp://',
      'smtp://mail.example.com/inbox',
      'smtp://mail.example.com/?pool=true',
      'smtp://me:%E0%A4%A@mail.example.com',
    ].map((value): [string, string, string] => [
      'SMTP_URL',
      value,
      `SMTP_URL must be such as smtp://name:password@mail.example.com:587, or smtps://…\n${mailPair}`,
    ]),
    ['SMTP_URL', 'smtp://mail.example.com', mailPair],
    ...[
      'Tableside',
      'a@b@c.example',
      'Me <>',
      '"<script>" <a@example.com>',
      'a@example.com, b@example.com',
    ].map((value): [string, string, string] => [
      'MAIL_FROM',
      value,
      `MAIL_FROM must be an address, such as Tableside <alerts@example.com>, not "${value}"\n${mailPair}`,
    ]),
    ...['10.0.0', '10.0.0.0/33', 'https://ntfy.lan', 'ntfy.lan:8080', 'a b', '*.lan'].map(
      (value): [string, string, string] => [
        'OUTBOUND_ALLOW',
        `ntfy.lan,${value}`,
        `OUTBOUND_ALLOW: "${value}" is not a host name, an address or a network`,
      ],
    ),
    ...['everybody', '10.0.0', '10.0.0.0/33', '10.0.0.0/x', '2001:db8::/129', '*'].map(
      (value): [string, string, string] => [
        'TRUST_PROXY',
        `loopback,${value}`,
        `TRUST_PROXY: "${value}" is not an address, a network or one of loopback, linklocal, uniquelocal`,
      ],
    ),
  ]

  it.each(wrong)('prevent the start with %s %s', (name, value, problem) => {
    expect(() => readConfig({ [name]: value })).toThrow(new ConfigError(problem))
  })

  it('that are wrong are all reported at once', () => {
    const environment = {
      PORT: 'x',
      PUBLIC_URL: 'x',
      DATABASE_URL: 'x',
      REDIS_URL: 'x',
      DEMO: 'x',
      BILLING: 'x',
      GUEST_LIMITS: 'x',
      TRUST_PROXY: 'x, y',
    }
    const all = [
      'PORT must be a number from 0 to 65535, not "x"',
      origin,
      'DATABASE_URL must begin with file: or postgres://',
      'REDIS_URL must begin with redis:// or rediss://',
      ...['x', 'y'].map(
        (proxy) =>
          `TRUST_PROXY: "${proxy}" is not an address, a network or one of loopback, linklocal, uniquelocal`,
      ),
      ...['DEMO', 'BILLING', 'GUEST_LIMITS'].map((name) => `${name} must be on or off, not "x"`),
    ]
    expect(problemsOf(environment)).toEqual(all.toSorted())
  })
})

describe('plain http in production', () => {
  const production = { NODE_ENV: 'production', BILLING: 'off' }

  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.8.9.10', '::1', ''])(
    'is allowed on loopback hosts: %s',
    (host) => expect(problemsOf({ ...production, HOST: host })).toEqual([]),
  )

  it.each(['0.0.0.0', '::', '192.168.1.4', 'tables.example.com', '128.0.0.1', 'localhost.example.com'])(
    'is refused on hosts that others can reach: %s',
    (host) => {
      const given = { ...production, HOST: host }
      expect(problemsOf(given)).toEqual([
        expect.stringContaining(`unencrypted: with HOST=${host} set PUBLIC_URL`),
      ])
      expect(problemsOf({ ...given, PUBLIC_URL: 'http://tables.example.com' })).toHaveLength(1)
      expect(problemsOf({ ...given, PUBLIC_URL: 'https://tables.example.com' })).toEqual([])
      expect(problemsOf({ ...given, ALLOW_INSECURE_HTTP: 'on' })).toEqual([])
      expect(problemsOf({ HOST: host })).toEqual([])
    },
  )
})

describe('TLS to PostgreSQL', () => {
  const production = { NODE_ENV: 'production', BILLING: 'off' }
  const here = [
    'postgres://app@localhost/tableside',
    'postgres://app@127.0.0.1:6432/tableside',
    'postgres://app@[::1]/tableside',
    'postgres:///tableside',
    'postgres:///tableside?host=/var/run/postgresql',
    'postgres://app@%2Fvar%2Frun%2Fpostgresql/tableside',
    'postgres://app@localhost:5432,127.0.0.1:5433/tableside',
  ]

  it.each(here)('is not asked for on this machine: %s', (url) =>
    expect(readConfig({ ...production, DATABASE_URL: url }).databaseUrl).toBe(url),
  )

  it.each([
    ['postgres://app:p%40w@db/tableside', 'postgres://app:p%40w@db/tableside?sslmode=verify-full'],
    ['postgres://app@10.0.0.4/t?sslmode=require', 'postgres://app@10.0.0.4/t?sslmode=verify-full'],
    [
      'postgres://app@db/t?sslmode=require&uselibpqcompat=true&application_name=x',
      'postgres://app@db/t?sslmode=verify-full&application_name=x',
    ],
    ['postgresql://a:5432,b:5433/t', 'postgresql://a:5432,b:5433/t?sslmode=verify-full'],
    ['postgres://localhost,db/t', 'postgres://localhost,db/t?sslmode=verify-full'],
    ['postgres:///t?host=db', 'postgres:///t?host=db&sslmode=verify-full'],
    ['postgres://localhost.example.com/t', 'postgres://localhost.example.com/t?sslmode=verify-full'],
  ])('is demanded in production, and the server is verified: %s', (url, secured) => {
    expect(readConfig({ ...production, DATABASE_URL: url }).databaseUrl).toBe(secured)
    expect(readConfig({ ...production, DATABASE_URL: url, DATABASE_TLS: 'off' }).databaseUrl).toBe(url)
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url)
  })

  it('is demanded of the way past a pooler, too', () => {
    const urls = { DATABASE_URL: 'postgres://localhost/t', DATABASE_DIRECT_URL: 'postgres://db/t' }
    expect(readConfig({ ...production, ...urls })).toMatchObject({
      databaseUrl: 'postgres://localhost/t',
      databaseDirectUrl: 'postgres://db/t?sslmode=verify-full',
    })
  })

  it.each(['disable', 'allow', 'prefer', 'no-verify'])('is not weakened by sslmode=%s alone', (mode) => {
    const url = `postgres://db/t?sslmode=${mode}`
    expect(problemsOf({ ...production, DATABASE_URL: url })).toEqual([
      `DATABASE_URL says sslmode=${mode}, so others on the network could read or pretend to be the database: leave it out, or say DATABASE_TLS=off`,
    ])
    expect(readConfig({ ...production, DATABASE_URL: url, DATABASE_TLS: 'off' }).databaseUrl).toBe(url)
  })

  it('is verified by the authority that is named', () => {
    const file = import.meta.filename
    const url = 'postgres://a,b/t'
    const secured = `${url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(file)}`
    expect(readConfig({ DATABASE_URL: url, DATABASE_CA: file }).databaseUrl).toBe(secured)
    expect(problemsOf({ DATABASE_CA: '/nowhere/ca.pem' })).toEqual([
      'DATABASE_CA: the file /nowhere/ca.pem cannot be read',
    ])
  })

  it('can be asked for on this machine, but not through a folder of sockets', () => {
    expect(here.map((url) => readConfig({ DATABASE_URL: url, DATABASE_TLS: 'on' }).databaseUrl)).toEqual(
      here.map((url) => (/host=|%2F/u.test(url) ? url : `${url}?sslmode=verify-full`)),
    )
  })

  it('has several servers only without a pooler', () => {
    const [one, two] = ['postgres://pooler/t', 'postgres://a,b/t']
    for (const urls of [
      { DATABASE_URL: one, DATABASE_DIRECT_URL: two },
      { DATABASE_URL: two, DATABASE_DIRECT_URL: one },
    ])
      expect(problemsOf(urls)).toEqual([
        'DATABASE_URL and DATABASE_DIRECT_URL must name one host each, because the pooler decides where transactions go: let both lead to the server that takes writes',
      ])
  })

  it.each(['postgres://a:5432,b:port/t', 'postgres://a,,b/t', 'postgres://a b/t'])(
    'needs an address that can be read: %s',
    (url) =>
      expect(problemsOf({ DATABASE_URL: url })).toEqual([
        'DATABASE_URL is not an address such as postgres://name:password@host:5432/database',
      ]),
  )
})

describe('the settings of OpenID Connect', () => {
  it('can all be missing', () => {
    expect(readConfig({}).oidc).toBeNull()
    expect(
      readConfig({ OIDC_ISSUER: ' ', OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: undefined }).oidc,
    ).toBeNull()
  })

  it('can all be given', () => {
    expect(readConfig(oidc).oidc).toEqual({
      issuer: 'https://id.example.com/realms/floor',
      clientId: 'tableside',
      clientSecret: 'a secret',
    })
  })

  it.each(['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'])('are refused without %s', (missing) => {
    expect(() => readConfig({ ...oidc, [missing]: '' })).toThrow(
      'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set all three, or none of them',
    )
  })

  it.each(['http://localhost:9000', 'http://127.0.0.1:9000', 'http://[::1]:9000/x'])(
    'allow plain http for a provider on this machine: %s',
    (issuer) => {
      expect(readConfig({ ...oidc, OIDC_ISSUER: issuer }).oidc).toMatchObject({ issuer })
    },
  )

  it.each([
    'http://id.example.com',
    'http://localhost.example.com',
    'http://10.0.0.1',
    'id.example.com',
    'ftp://localhost',
    'https://id.example.com/?a=1',
    'https://id.example.com/#a',
    'https://user:secret@id.example.com',
  ])('refuse any other issuer: %s', (issuer) => {
    expect(() => readConfig({ ...oidc, OIDC_ISSUER: issuer })).toThrow('OIDC_ISSUER must be an https address')
  })
})

describe('the keys of Stripe', () => {
  const stripe = {
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_new, whsec_old',
  }

  it('select Stripe; without them the sandbox is used', () => {
    expect(readConfig({}).stripe).toBeNull()
    expect(readConfig(stripe).stripe).toEqual({
      secretKey: 'sk_test_1',
      publishableKey: 'pk_test_1',
      webhookSecrets: ['whsec_new', 'whsec_old'],
    })
  })

  it.each(Object.keys(stripe))('are refused if %s is missing', (missing) => {
    expect(() => readConfig({ ...stripe, [missing]: '' })).toThrow('must be set all three, or none of them')
  })

  it.each([
    ['STRIPE_SECRET_KEY', 'pk_test_1'],
    ['STRIPE_SECRET_KEY', 'sk_live_1'],
    ['STRIPE_PUBLISHABLE_KEY', 'sk_test_1'],
    ['STRIPE_PUBLISHABLE_KEY', 'pk_live_1'],
    ['STRIPE_WEBHOOK_SECRET', 'secret'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_new,'],
  ])('are refused if one is of another kind: %s=%s', (name, value) => {
    expect(() => readConfig({ ...stripe, [name]: value })).toThrow(name)
  })

  it('are required in production, unless the sandbox is allowed or billing is off', () => {
    const production = { NODE_ENV: 'production' }
    expect(() => readConfig(production)).toThrow('Nobody would be charged')
    expect(() => readConfig({ ...production, PAYMENTS_ALLOW_SANDBOX: 'off' })).toThrow('Nobody would')
    expect(() => readConfig({ PAYMENTS_ALLOW_SANDBOX: 'perhaps' })).toThrow('PAYMENTS_ALLOW_SANDBOX')
    for (const allowed of [
      { PAYMENTS_ALLOW_SANDBOX: '1' },
      { PAYMENTS_ALLOW_SANDBOX: 'on' },
      { BILLING: 'off' },
    ])
      expect(readConfig({ ...production, ...allowed }).stripe).toBeNull()
    expect(readConfig({ ...production, ...stripe }).stripe).not.toBeNull()
  })
})
