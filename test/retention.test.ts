import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Retention } from '#contract/accounts/retention.ts'
import { api } from '#contract/api.ts'
import { dayMs, hourMs } from '#contract/durations.ts'
import { recountAll } from '../src/server/backup/recount-all.ts'
import { addDays, localDay } from '../src/server/core/dates.ts'
import { nightAfter, removeWhatIsTooOld } from '../src/server/core/retention/retention-run.ts'
import { removeExpiredData } from '../src/server/core/retention/retention.ts'
import { write } from '../src/server/core/transaction.ts'
import * as retention from '../src/server/storage/retention.ts'
import { password, setUpApp, type TestBrowser } from './support/app.ts'
import { insertUsedChannel } from './support/outside/used-channel.ts'
import { parseCsv } from './support/reading/figures-from-csv.ts'
import { readZip } from './support/reading/zip-reader.ts'
import { addCrew, assignFirstTable, type Restaurant } from './support/restaurants/busy-restaurant.ts'
import { insertClosedRequests } from './support/restaurants/closed-requests.ts'

const app = setUpApp()

const everything: Retention = { requests: null, messages: null, log: null }

const signIn = ({ owner, name: username }: Restaurant) =>
  owner.ok(api.accounts.ownerLogin, { body: { username, password } })

/** Sessions do not last that long. */
async function passDays(restaurant: Restaurant, days: number): Promise<void> {
  app.advance(days * dayMs)
  await signIn(restaurant)
  const { device, name: restaurantName } = restaurant
  await device.ok(api.accounts.restaurantLogin, { body: { restaurantName, password } })
}

const keep = ({ owner }: Restaurant, kept: Partial<Retention>) =>
  owner.ok(api.retention.set, { body: { ...everything, ...kept } })

/** Until the night in which what is too old is removed, and a minute more. */
async function passNight({ owner }: Restaurant): Promise<void> {
  const { runAt } = await owner.ok(api.retention.state, {})
  app.advance((runAt ?? app.now()) - app.now())
  await removeWhatIsTooOld(app.ctx)
}

async function tap({ name: restaurantId }: Restaurant, tableNumber = '1') {
  const body = { id: randomUUID(), restaurantId, tableNumber, serviceType: 'drinks' as const }
  return (await app.browser().ok(api.requests.send, { body })).request
}

/** A request that was completed. */
async function served(restaurant: Restaurant, tableNumber = '1'): Promise<string> {
  const { id } = await tap(restaurant, tableNumber)
  const screen = await restaurant.device.connect()
  expect(await screen.request({ type: 'accept-request', id })).toMatchObject({ type: 'ack' })
  expect(await screen.request({ type: 'complete-request', id })).toMatchObject({ type: 'ack' })
  screen.close()
  return id
}

type Counted = 'serviceRequest' | 'requestEvent' | 'teamMessage' | 'auditEntry' | 'tableAssignment'

async function countIn(restaurant: Restaurant, table: Counted): Promise<number> {
  const rows = await app.ctx.db.reader
    .selectFrom(table)
    .select('restaurantId')
    .where('restaurantId', '=', await app.idOf(restaurant))
    .execute()
  return rows.length
}

/** Requests that were closed that many days ago. */
const insertOld = async (restaurant: Restaurant, count: number, days: number): Promise<void> =>
  insertClosedRequests(app.ctx, await app.idOf(restaurant), { count, at: app.now() - days * dayMs })

it('keeps everything as long as nothing else is set', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  await served(restaurant)
  const before = [await countIn(restaurant, 'requestEvent'), await countIn(restaurant, 'auditEntry')]
  await passDays(restaurant, 3_000)
  await removeExpiredData(app.ctx)
  await removeWhatIsTooOld(app.ctx)
  expect([await countIn(restaurant, 'requestEvent'), await countIn(restaurant, 'auditEntry')]).toEqual(before)
  expect(await restaurant.owner.ok(api.retention.state, {})).toMatchObject({
    retention: everything,
    runAt: null,
    undo: null,
    keptFrom: { requests: null, messages: null, log: null },
    oldest: { requests: localDay(app.now() - 3_000 * dayMs, 'UTC') },
  })
})

describe('a shorter period', () => {
  it('takes effect in a night at least twelve hours later, and can be undone until then', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    await served(restaurant)
    await passDays(restaurant, 100)
    const set = await keep(restaurant, { requests: 60 })
    expect(set.undo).toEqual(everything)
    expect(set.runAt).toBe(nightAfter(app.now() + 12 * hourMs, 'UTC'))
    expect(new Date(set.runAt ?? 0).toISOString()).toMatch(/T04:00:00\.000Z$/u)
    await removeWhatIsTooOld(app.ctx)
    expect(await countIn(restaurant, 'serviceRequest')).toBe(1)

    // Shortened once more: undoing it still leads to how it was.
    expect((await keep(restaurant, { requests: 50 })).undo).toEqual(everything)
    const undone = await keep(restaurant, everything)
    expect(undone).toMatchObject({ undo: null, runAt: null })
    app.advance(2 * dayMs)
    await removeWhatIsTooOld(app.ctx)
    expect(await countIn(restaurant, 'serviceRequest')).toBe(1)

    await signIn(restaurant)
    await keep(restaurant, { requests: 60 })
    await passNight(restaurant)
    expect(await countIn(restaurant, 'serviceRequest')).toBe(0)
    await signIn(restaurant)
    const after = await restaurant.owner.ok(api.retention.state, {})
    expect(after).toMatchObject({
      undo: null,
      runAt: nightAfter(app.now(), 'UTC'),
      keptFrom: { requests: addDays(localDay(app.now(), 'UTC'), -60) },
    })
  })

  it('is recorded, with what it is, and asks who that is after a while', async () => {
    const restaurant = await app.restaurant()
    const { owner } = restaurant
    await keep(restaurant, { requests: 90, log: 365 })
    await keep(restaurant, { requests: 90, log: 365 })
    const { entries } = await owner.ok(api.audit.list, {})
    expect(entries.filter(({ action }) => action === 'retention.set')).toMatchObject([
      { actorName: 'owner@example.com', detail: { requests: 90, messages: null, log: 365 } },
    ])
    app.advance(hourMs)
    expect(await owner.call(api.retention.set, { body: everything })).toMatchObject({
      status: 403,
      body: { code: 'recent_sign_in_required' },
    })
    expect((await owner.call(api.retention.state, {})).status).toBe(200)
  })

  it('keeps what another owner has changed, and refuses what both changed', async () => {
    const { owner, name } = await app.restaurant()
    const other = app.browser()
    await other.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    const set = (browser: TestBrowser, wanted: Partial<Retention>, was = everything) =>
      browser.call(api.retention.set, { body: { ...was, ...wanted, was } })
    const answers = await Promise.all([set(owner, { requests: 90 }), set(other, { log: 365 })])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const both = { requests: 90, messages: null, log: 365 }
    expect((await owner.ok(api.retention.state, {})).retention).toEqual(both)

    expect(await set(other, { requests: 60 })).toMatchObject({
      status: 409,
      body: {
        code: 'conflict',
        message: 'Somebody else has changed this meanwhile. Please check what is there now.',
      },
    })
    expect(await set(other, { requests: 90 })).toMatchObject({ status: 200, body: { retention: both } })
    // Undoing what one has shortened leaves what the other one has.
    expect(await set(owner, { requests: null }, { ...everything, requests: 90 })).toMatchObject({
      status: 200,
      body: { retention: { ...everything, log: 365 }, undo: everything },
    })
  })

  it('is at least what other things need, and everything else is refused', async () => {
    const { owner } = await app.restaurant()
    const send = (body: unknown) => owner.send('PUT', api.retention.set.path, body)
    for (const [kept, message] of [
      [{ requests: 34 }, 'Requests are kept for at least 35 days'],
      [{ messages: 0 }, 'Messages are kept for at least 1 day'],
      [{ log: 89 }, 'The log is kept for at least 90 days'],
      [{ log: 3_661 }, 'Please enter at most 3660 days'],
      [{ requests: 40.5 }, 'Please enter a whole number of days'],
      [{ requests: '40' }, 'Please enter a whole number of days'],
      [{ requests: 1e300 }, 'Please enter a whole number of days'],
      [{ requests: -1 }, 'Requests are kept for at least 35 days'],
      [{ requests: [40] }, 'Please enter a whole number of days'],
    ] as const)
      expect(await send({ ...everything, ...kept })).toMatchObject({ status: 400, body: { message } })
    for (const body of [{}, [], null, 'requests', { requests: 40 }, { requests: 40, messages: null }])
      expect(await send(body)).toMatchObject({ status: 400 })
    expect((await owner.ok(api.retention.state, {})).retention).toEqual(everything)
  })
})

describe('requests that are too old', () => {
  it('go with their events and all that figures come from, and open ones stay', async () => {
    const restaurant = await app.restaurant({ tables: ['1', '2'] })
    const { owner } = restaurant
    const other = await app.restaurant({ tables: ['1'] })
    await served(other)
    const maya = await addCrew(owner, 'Maya Chen')
    await assignFirstTable(app, restaurant, maya.id)
    await served(restaurant)
    const waiting = await tap(restaurant, '2')
    await write(app.ctx, async ({ db }) => {
      const restaurantId = await app.idOf(restaurant)
      for (const [index, listening] of [1, 0, 1].entries())
        await db
          .insertInto('listeningChange')
          .values({ restaurantId, id: `listening-${index}`, at: app.now() + index, listening })
          .execute()
    })
    const first = localDay(app.now(), 'UTC')
    await passDays(restaurant, 40)
    await served(restaurant)
    const second = localDay(app.now(), 'UTC')
    await keep(restaurant, { requests: 35 })
    await passNight(restaurant)
    await signIn(restaurant)

    const left = await app.ctx.db.reader
      .selectFrom('serviceRequest')
      .select(['id', 'localDay'])
      .where('restaurantId', '=', await app.idOf(restaurant))
      .orderBy('createdAt')
      .execute()
    expect(left).toEqual([
      { id: waiting.id, localDay: first },
      { id: expect.any(String), localDay: second },
    ])
    expect(await countIn(restaurant, 'tableAssignment')).toBe(0)
    const changes = app.ctx.db.reader
      .selectFrom('listeningChange')
      .select(['id', 'listening'])
      .where('id', 'like', 'listening-%')
    expect(await changes.execute()).toEqual([{ id: 'listening-2', listening: 1 }])
    expect(await countIn(other, 'serviceRequest')).toBe(1)

    const { differences, requests, events } = await recountAll(app.ctx.db.reader)
    expect(differences).toEqual([])
    expect(requests).toBeGreaterThan(2)
    expect(events).toBeGreaterThan(requests)
    const orphans = await sql`select e.id from request_event e left join service_request q
      on q.restaurant_id = e.restaurant_id and q.id = e.request_id where q.id is null`.execute(
      app.ctx.db.reader,
    )
    expect(orphans.rows).toEqual([])

    // Once it is closed it goes, too.
    const screen = await restaurant.device.connect()
    await screen.request({ type: 'complete-request', id: waiting.id })
    screen.close()
    await passNight(restaurant)
    expect(await countIn(restaurant, 'serviceRequest')).toBe(2)
    await signIn(restaurant)
    await passNight(restaurant)
    expect(await countIn(restaurant, 'serviceRequest')).toBe(1)
  })

  it('are missing in an export, which says that open ones began before the range of its events', async () => {
    const restaurant = await app.restaurant({ tables: ['1', '2'] })
    const waiting = await tap(restaurant, '2')
    const gone = await served(restaurant)
    await passDays(restaurant, 40)
    await keep(restaurant, { requests: 35 })
    await passNight(restaurant)
    await signIn(restaurant)
    const answer = await restaurant.owner.fetch(api.restaurant.download.path, { method: 'POST' })
    const files = readZip(Buffer.from(await answer.arrayBuffer()))
    const rows = parseCsv(String(files.get('events.csv')))
    const timeOf = (kind: string): number =>
      Date.parse(rows.find((row) => row['kind'] === kind)?.['at_utc'] ?? '')
    expect(rows.filter(({ request_id: id }) => id === waiting.id)).toHaveLength(1)
    expect(rows.filter(({ request_id: id }) => id === gone)).toEqual([])
    expect(timeOf('created')).toBeLessThan(timeOf('from'))
    const { files: described } = JSON.parse(String(files.get('manifest.json')))
    expect(described).toContainEqual(
      expect.objectContaining({
        name: 'events.csv',
        about: expect.stringContaining('still open when older ones were removed began before it'),
      }),
    )
  })

  it('are missing in figures, which say so and compare with nothing', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const { owner } = restaurant
    await served(restaurant)
    await passDays(restaurant, 60)
    await served(restaurant)
    await keep(restaurant, { requests: 40 })
    await passNight(restaurant)
    await signIn(restaurant)
    const today = localDay(app.now(), 'UTC')
    const keptFrom = addDays(today, -40)
    const figures = (from: string, to = today) => owner.ok(api.analytics.figures, { query: { from, to } })
    expect(await figures(addDays(today, -89))).toMatchObject({
      keptFrom,
      totals: { requests: 1 },
      previous: null,
    })
    expect(await figures(addDays(today, -29))).toMatchObject({ previous: null })
    expect(await figures(addDays(today, -6))).toMatchObject({
      keptFrom,
      totals: { requests: 1 },
      previous: { requests: 0 },
    })
    const { unheard } = await figures(addDays(today, -89))
    expect(unheard?.measuredMs).toBe(app.now() - Date.parse(keptFrom))
    const csv = await owner.fetch(`${api.analytics.events.path}?from=${addDays(today, -89)}&to=${today}`)
    const lines = (await csv.text()).split('\r\n')
    expect(lines.filter((line) => line.startsWith('event,created,'))).toHaveLength(1)
    expect(lines.find((line) => line.startsWith('range,from,'))).toContain(`${keptFrom}T00:00:00.000Z`)
  })

  it('go in small steps, and only once although two nodes begin', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    await insertOld(restaurant, 4_950, 50)
    await insertOld(restaurant, 50, 10)
    await keep(restaurant, { requests: 35 })
    const { runAt } = await restaurant.owner.ok(api.retention.state, {})
    app.advance((runAt ?? 0) - app.now())
    const restaurantId = await app.idOf(restaurant)
    const leased = await Promise.all(
      [1, 2].map((until) =>
        write(app.ctx, ({ db }) =>
          retention.lease(db, restaurantId, { now: app.now(), held: null, until: app.now() + until }),
        ),
      ),
    )
    expect(leased.filter((row) => row !== undefined)).toHaveLength(1)
    await removeWhatIsTooOld(app.ctx)
    expect(await countIn(restaurant, 'serviceRequest')).toBe(5_000)

    // The one that has begun died: another goes on when its lease is over.
    app.advance(3)
    let isRemoved = false
    const removal = Promise.all([removeWhatIsTooOld(app.ctx), removeWhatIsTooOld(app.ctx)]).finally(() => {
      isRemoved = true
    })
    // A guest's tap waits for a step, and not for all of them.
    expect((await tap(restaurant)).asks).toBe(1)
    expect(isRemoved).toBe(false)
    await removal
    expect(await countIn(restaurant, 'serviceRequest')).toBe(51)
    expect(await countIn(restaurant, 'requestEvent')).toBe(101)
    const lines = app.lines.filter((line) => line.includes('removed what a restaurant no longer keeps'))
    const ours = lines.map((line) => JSON.parse(line)).filter((line) => line.restaurantId === restaurantId)
    expect(ours.reduce((sum, { requests }) => sum + requests, 0)).toBe(4_950)
  })

  it('stay from the moment when their owner wants to keep them after all', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    await insertOld(restaurant, 450, 50)
    await keep(restaurant, { requests: 35 })
    const { runAt } = await restaurant.owner.ok(api.retention.state, {})
    app.advance((runAt ?? 0) - app.now())
    await signIn(restaurant)
    const restaurantId = await app.idOf(restaurant)
    const at = { now: app.now(), until: app.now() + hourMs }
    const row = await write(app.ctx, ({ db }) => retention.lease(db, restaurantId, { ...at, held: null }))
    expect(row?.requestDays).toBe(35)
    await keep(restaurant, everything)
    const next = await write(app.ctx, ({ db }) =>
      retention.lease(db, restaurantId, { ...at, held: row?.leasedUntil ?? null }),
    )
    expect(next).toBeUndefined()
    await removeWhatIsTooOld(app.ctx)
    expect(await countIn(restaurant, 'serviceRequest')).toBe(450)
  })
})

describe('what is written', () => {
  it('goes when it is too old: messages, calls, and the log of changes', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const { owner, device } = restaurant
    const [maya, jonas] = [await addCrew(owner, 'Maya'), await addCrew(owner, 'Jonas')]
    const say = async (messageText: string): Promise<void> => {
      const screen = await device.connect()
      await screen.request({ type: 'set-crew-member-context', crewMemberId: maya.id })
      await screen.request({ type: 'send-team-message', targetCrewId: jonas.id, messageText })
      screen.close()
    }
    const said = async (): Promise<string[]> => {
      const screen = await device.connect()
      await screen.request({ type: 'set-crew-member-context', crewMemberId: maya.id })
      screen.send({ type: 'get-team-messages' })
      const { messages } = await screen.next('team-messages-history')
      screen.close()
      return messages.map(({ messageText }) => messageText)
    }
    await say('Table 4 please')
    await passDays(restaurant, 60)
    await say('Thank you')
    await passDays(restaurant, 40)
    await removeExpiredData(app.ctx)
    expect(await said()).toEqual(['Thank you', 'Table 4 please'])
    const added = async () =>
      (await owner.ok(api.audit.list, {})).entries.map(({ action }) => action).toSorted()
    expect(await added()).toEqual(['crew.add', 'crew.add', 'floor.setUp'])

    await keep(restaurant, { messages: 60, log: 90 })
    await passNight(restaurant)
    await passDays(restaurant, 0)
    expect(await said()).toEqual(['Thank you'])
    expect(await added()).toEqual(['retention.set'])
    expect(await owner.ok(api.retention.state, {})).toMatchObject({
      keptFrom: {
        requests: null,
        messages: addDays(localDay(app.now(), 'UTC'), -60),
        log: addDays(localDay(app.now(), 'UTC'), -90),
      },
    })
  })
})

it('says where else lies what is too old: in backups, and with receivers', async () => {
  const restaurant = await app.restaurant()
  const { owner } = restaurant
  expect((await owner.ok(api.retention.state, {})).remains).toEqual({ backups: null, receivers: [] })
  await write(app.ctx, async ({ db }) => {
    const restaurantId = await app.idOf(restaurant)
    const address = 'https://hooks.example.com/secret-path'
    await insertUsedChannel(db, { restaurantId, id: 'hook', address, lastAt: 5 })
  })
  expect((await owner.ok(api.retention.state, {})).remains.receivers).toEqual([
    { kind: 'webhook', name: 'hooks.example.com', lastAt: 5 },
  ])
})
