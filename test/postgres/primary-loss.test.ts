import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { connectScreen } from '../support/pages/crew-view.ts'
import { startPostgres } from '../support/postgres/postgres-cluster.ts'
import { type PostgresServer, urlOfAll } from '../support/postgres/postgres-server.ts'

const isReady = async (app: TestApp) => (await app.browser().fetch('/readyz')).ok
/** It is told by `npm run drill primary-loss` how soon. */
const untilReady = async (app: TestApp) => {
  await expect.poll(() => isReady(app)).toBe(true)
}

/** Taps at a table of its own, again and again until it is told that the tap is stored. */
async function ask(app: TestApp, restaurantId: string, table: number): Promise<string> {
  const id = randomUUID()
  for (;;) {
    const body = { id, restaurantId, tableNumber: `${table}`, serviceType: 'check' }
    const { status } = await app.browser().send('POST', '/api/service-requests', body)
    if (status < 300) return id
    if (status !== 503) throw new Error(`A tap was answered with ${status}`)
  }
}

async function query<R extends object>(server: PostgresServer, text: string): Promise<R[]> {
  const client = new Client(server.url)
  await client.connect()
  const { rows } = await client.query<R>(text)
  await client.end()
  return rows
}

const idsIn = async (server: PostgresServer) =>
  (await query<{ id: string }>(server, 'select id from service_request')).map(({ id }) => id).toSorted()

it.each([
  ['is killed', 'kill'],
  ['falls silent', 'freeze'],
] as const)(
  'a server goes on with the promoted standby when the primary %s, and never goes back',
  async (_, fail) => {
    const first = await startPostgres({ settings: { synchronous_standby_names: '*' } })
    const second = await startPostgres({ primary: first })
    const databaseUrl = urlOfAll([first, second])
    const app = await startTestApp({ databaseUrl, guestLimits: false, clock: 'running' })
    onTestFinished(() => app.stop())
    const { name, device } = await app.restaurant()

    const stored: string[] = []
    const ending = new AbortController()
    let table = 0
    const guests = Array.from({ length: 4 }, async () => {
      while (!ending.signal.aborted) stored.push(await ask(app, name, ++table))
    })
    onTestFinished(async () => {
      ending.abort()
      await Promise.allSettled(guests)
    })
    await expect.poll(() => stored.length).toBeGreaterThan(20)
    await first[fail]()
    await second.promote()
    await untilReady(app)
    const crew = await connectScreen(device)
    const asked = await ask(app, name, 0)
    while ((await crew.next('new-request')).request.id !== asked);
    crew.close()
    ending.abort()
    await Promise.all(guests)
    expect(await idsIn(second)).toEqual([...stored, asked].toSorted())

    // The former primary is back, and would take writes.
    if (fail === 'freeze') first.thaw()
    else await first.start({ synchronous_standby_names: '' })
    const outdated = await idsIn(first)
    await second.restart('fast')
    const again = await ask(app, name, ++table)
    await second.kill()
    await expect.poll(() => isReady(app)).toBe(false)
    const page = await app.browser().fetch(`/customer?r=${encodeURIComponent(name)}&t=1`)
    expect(page.status).toBe(503)
    await second.start()
    await untilReady(app)
    const last = await ask(app, name, ++table)
    expect(await idsIn(second)).toEqual([...stored, asked, again, last].toSorted())
    expect(await idsIn(first)).toEqual(outdated)

    // A node that starts now learns only from the servers which one is outdated.
    const node = await startTestApp({ databaseUrl: urlOfAll([second, first]) })
    onTestFinished(() => node.stop())
    expect(
      await node.ctx.db.reader.selectFrom('serviceRequest').select('id').where('id', '=', last).execute(),
    ).toEqual([{ id: last }])
    // Those that were cut off wait for the standby for ever.
    const connections = await query(
      first,
      `select application_name, query from pg_stat_activity where wait_event is distinct from 'SyncRep'
    and application_name in ('tableside', 'tableside-bus-sender', 'tableside-bus-receiver')`,
    )
    expect(connections).toEqual([])
    const moves = app.lines.filter((line) => line.includes('another PostgreSQL server was promoted'))
    expect(moves.map((line) => JSON.parse(line).server)).toEqual([`127.0.0.1:${second.port}`])
    // What the server does by itself says that the database was away.
    app.lines.length = 0
  },
  120_000,
)

it('a server does not begin with a standby alone, and says why', async () => {
  const first = await startPostgres()
  const second = await startPostgres({ primary: first })
  await first.remove()
  await expect(startTestApp({ databaseUrl: urlOfAll([first, second]) })).rejects.toThrow(
    new RegExp(
      `None of the servers takes writes: 127\\.0\\.0\\.1:${first.port} connect ECONNREFUSED .+; 127\\.0\\.0\\.1:${second.port} only reads`,
      'u',
    ),
  )
  await expect(startTestApp({ databaseUrl: second.url })).rejects.toThrow(
    'This server is a standby, which only reads',
  )
})
