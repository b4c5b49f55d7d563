import { Client } from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import type { MessageOf, ServerMessage } from '#contract/live.ts'
import { reidentify } from '../../src/server/core/accounts/sessions/sessions.ts'
import { anonymousActor } from '../../src/server/core/actor.ts'
import { createGateway } from '../../src/server/live/gateway.ts'
import { PresenceRegistry } from '../../src/server/live/presence/registry.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { freshDatabase } from '../support/database.ts'
import { connectScreen } from '../support/pages/crew-view.ts'
import { silentSocket } from '../support/pages/silent-socket.ts'
import { startPostgresCounter } from '../support/postgres/postgres-counter.ts'

/** Two nodes, and what counts the statements of the second one. */
async function startTwo() {
  const database = await freshDatabase()
  onTestFinished(() => database.drop())
  const counter = await startPostgresCounter(database.url)
  onTestFinished(() => counter.stop())
  const start = async (databaseUrl: string): Promise<TestApp> => {
    const app = await startTestApp({ databaseUrl, guestLimits: false })
    onTestFinished(() => app.stop())
    return app
  }
  const [a, b] = [await start(database.url), await start(counter.url)]
  const client = new Client(database.url)
  await client.connect()
  onTestFinished(() => client.end())
  return { a, b, client, counter }
}

const textOf = (query: string | { text: string } | { submit: unknown }): string =>
  typeof query === 'string' ? query : 'text' in query ? query.text : ''

it('checks the logins of all screens after a gap with as many statements for 1,000 as for 200', async () => {
  const { a, b, client, counter } = await startTwo()
  const restaurant = await a.restaurant()
  const { ctx } = b
  const gateway = createGateway(ctx, new PresenceRegistry(ctx.now), {
    node: 'screens',
    severalNodes: true,
    reserveSocket: async () => () => {},
  })
  onTestFinished(() => gateway.close())
  const { rows } = await client.query<{ id: string }>(
    `select session_id as id from session_grant where kind = 'device'`,
  )
  const device = await reidentify(ctx, { ...anonymousActor(), sessionId: rows[0]?.id ?? null })
  const add = (name: string) => restaurant.owner.ok(api.crew.add, { body: { name, role: 'Server' } })
  const maya = await add('Maya')
  const openMore = (count: number) => {
    for (let opened = 0; opened < count; opened++) gateway.open(silentSocket, { ...device, crewMember: maya })
  }

  /** How many statements the node makes after a gap in which a member was removed, until it knows of it. */
  async function statementsOfGap(name: string): Promise<number> {
    const removed = await add(name)
    const closed = new Promise<number>((resolve) => {
      gateway.open({ ...silentSocket, close: resolve }, { ...device, crewMember: removed })
    })
    const before = counter.counts().statements
    await client.query('update crew_member set deleted_at = 1 where id = $1', [removed.id])
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'tableside-bus-receiver'`,
    )
    expect(await closed).toBe(1012)
    return counter.counts().statements - before
  }

  openMore(200)
  const of200 = await statementsOfGap('Nina')
  openMore(800)
  const of1000 = await statementsOfGap('Omar')
  expect([of200, of1000].map((count) => (count < 20 ? 'few' : count))).toEqual(['few', 'few'])
})

/** As another node sends it. */
const notify = (
  client: Client,
  restaurantId: string,
  message: MessageOf<ServerMessage, 'request-completed'>,
) =>
  client.query('select pg_notify($1, $2)', [
    'tableside',
    `0:${JSON.stringify({ from: 'elsewhere', kind: 'event', event: { topic: { kind: 'staff', restaurantId }, message } })}`,
  ])

it('takes nothing for lost that came while it was busy itself', async () => {
  const queries = vi.spyOn(Client.prototype, 'query')
  const { a, b, client } = await startTwo()
  const restaurant = await a.restaurant()
  const restaurantId = await a.idOf(restaurant)
  const crew = await connectScreen(restaurant.device.sentTo(b))
  onTestFinished(() => crew.close())
  const received = new Promise<void>((resolve) => {
    b.ctx.bus.subscribe((signal) => {
      if (signal.kind === 'event') resolve()
    })
  })
  queries.mockClear()
  await notify(client, restaurantId, { type: 'request-completed', id: 'second', by: null, seq: 2 })
  await received
  void notify(client, restaurantId, { type: 'request-completed', id: 'first', by: null, seq: 1 })
  const busyUntil = performance.now() + 400
  while (performance.now() < busyUntil);
  expect([await crew.next('request-completed'), await crew.next('request-completed')]).toMatchObject([
    { id: 'first' },
    { id: 'second' },
  ])
  const looks = queries.mock.calls.filter(([query]) => JSON.stringify(query).includes('last-sequence'))
  expect(looks).toHaveLength(0)
})

it('loads one list for all screens of a restaurant when a signal is lost', async () => {
  const queries = vi.spyOn(Client.prototype, 'query')
  const { a, b, client } = await startTwo()
  const { name, device } = await a.restaurant()
  const atB = device.sentTo(b)
  onTestFinished(() => atB.close())
  const screens = await Promise.all(Array.from({ length: 20 }, () => connectScreen(atB)))
  queries.mockClear()
  // What another node has announced, and nobody heard.
  await client.query(
    `insert into live_stream select id, 'staff', 1 from restaurant where name = $1
      on conflict (restaurant_id, name) do update set last_seq = live_stream.last_seq + 1`,
    [name],
  )
  await a.browser().ok(api.requests.send, {
    body: { restaurantId: name, tableNumber: '7', serviceType: 'check' },
  })
  for (const screen of screens)
    expect((await screen.next('pending-requests')).requests).toMatchObject([{ tableNumber: '7' }])
  const lists = queries.mock.calls.filter(([query]) =>
    /from "service_request".+order by "created_at", "id"/u.test(textOf(query)),
  )
  expect(lists).toHaveLength(1)
})
