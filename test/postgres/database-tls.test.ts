import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp, TestBrowser } from '../support/app.ts'
import { connectScreen } from '../support/pages/crew-view.ts'
import { startPostgres } from '../support/postgres/postgres-cluster.ts'
import { startPostgresServer, type PostgresServer } from '../support/postgres/postgres-server.ts'
import { createSelfSignedCertificate } from '../support/proxies/certificate.ts'
import { tableside } from '../support/servers/command-line.ts'
import { startServer } from '../support/servers/server-process.ts'

const production = { NODE_ENV: 'production', BILLING: 'off' }

/** The certificate is for localhost and 127.0.0.1, and is its own authority. */
let server: PostgresServer
let authority: string
beforeAll(async () => {
  const { key, cert } = createSelfSignedCertificate()
  const folder = await mkdtemp(join(tmpdir(), 'tableside-authority-'))
  authority = join(folder, 'ca.pem')
  await writeFile(authority, cert)
  server = await startPostgresServer({
    settings: {
      listen_addresses: '127.0.0.1,127.0.0.2',
      ssl: 'on',
      ssl_cert_file: 'server.crt',
      ssl_key_file: 'server.key',
    },
    files: {
      'server.crt': cert,
      'server.key': key,
      // Without TLS nobody gets in.
      'pg_hba.conf': 'hostssl all all 127.0.0.0/8 trust\n',
    },
  })
  return async () => {
    await server.remove()
    rmSync(folder, { recursive: true })
  }
})

const urlAt = (host: string) => `postgres://postgres@${host}:${server.port}/postgres`

it('encrypts every connection, whatever it is for, and verifies the server', async () => {
  const database = `${urlAt('127.0.0.1')}?sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`
  const node = await startTestApp({ databaseUrl: database })
  onTestFinished(() => node.stop())
  const { name, owner, device } = await node.restaurant()
  const crew = await connectScreen(device)
  const { request } = await node
    .browser()
    .ok(api.requests.send, { body: { restaurantId: name, tableNumber: '7', serviceType: 'check' } })
  expect((await crew.next('new-request')).request.id).toBe(request.id)
  await owner.ok(api.analytics.overview, {})

  const client = new Client({ connectionString: database })
  await client.connect()
  const { rows } = await client.query<{ purpose: string; encrypted: boolean }>(`
    select distinct application_name as purpose, ssl as encrypted
    from pg_stat_activity join pg_stat_ssl using (pid)
    where backend_type = 'client backend' and pid <> pg_backend_pid() order by 1`)
  await client.end()
  expect(rows).toEqual(
    ['tableside', 'tableside-bus-receiver', 'tableside-bus-sender'].map((purpose) => ({
      purpose,
      encrypted: true,
    })),
  )
  crew.close()
})

it('starts with the authority that DATABASE_CA names', async () => {
  const running = await startServer(urlAt('localhost'), {
    ...production,
    DATABASE_TLS: 'on',
    DATABASE_CA: authority,
  })
  onTestFinished(() => running.stop())
  expect((await new TestBrowser(() => running.url).fetch('/readyz')).status).toBe(200)
})

it('pg_dump trusts whom the server trusts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tableside-dump-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const env = {
    DATABASE_URL: `${urlAt('localhost')}?uselibpqcompat=true`,
    DATABASE_TLS: 'on',
    // As an authority that the whole machine trusts.
    NODE_EXTRA_CA_CERTS: authority,
  }
  expect(await tableside(['migrate'], env)).toMatchObject({ code: 0, err: '' })
  const { code, out, err } = await tableside(['backup', join(folder, 'backup'), '--json'], env)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(JSON.parse(out)).toMatchObject({ ok: true, kind: 'pg_dump' })
})

const advice =
  'Please name the authority of its certificate in DATABASE_CA, and the host that it is for in DATABASE_URL, or say DATABASE_TLS=off\n'

it('a server does not start when the certificate is of an unknown authority, or for another host', async () => {
  const demanded = { ...production, DATABASE_TLS: 'on' }
  await expect(startServer(urlAt('localhost'), demanded)).rejects.toThrow(
    new RegExp(`\\(PostgreSQL\\): self-signed certificate.*\n${advice}`, 'u'),
  )
  await expect(startServer(urlAt('127.0.0.2'), { ...demanded, DATABASE_CA: authority })).rejects.toThrow(
    /altnames: IP: 127\.0\.0\.2 is not in the cert's list.*\nPlease name the authority/u,
  )
  const { out } = await tableside(['doctor', '--json'], {
    DATABASE_URL: urlAt('localhost'),
    DATABASE_TLS: 'on',
  })
  expect(JSON.parse(out).checks).toContainEqual({
    name: 'database',
    state: 'problem',
    text: expect.stringMatching(new RegExp(`self-signed certificate.*\\. ${advice.trim()}$`, 'u')),
  })
})

it('a server does not start without TLS where it is demanded, unless DATABASE_TLS=off', async () => {
  const plain = await startPostgres()
  await expect(startServer(plain.url, { ...production, DATABASE_TLS: 'on' })).rejects.toThrow(
    `(PostgreSQL): The server does not support SSL connections\n${advice}`,
  )
  const running = await startServer(plain.url, { ...production, DATABASE_TLS: 'off' })
  onTestFinished(() => running.stop())
  expect((await new TestBrowser(() => running.url).fetch('/readyz')).status).toBe(200)
})
