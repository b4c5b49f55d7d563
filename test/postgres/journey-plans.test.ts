import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { Client } from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import type { Database } from '../../src/server/storage/engine/types.ts'
import { startTestApp } from '../support/app.ts'
import { freshDatabase } from '../support/database.ts'
import { advanceBy, openPushRestaurant } from '../support/outside/push-restaurant.ts'
import { startPushService } from '../support/outside/push-service.ts'
import { connectScreen } from '../support/pages/crew-view.ts'
import { namedIn } from '../support/pages/scale-page.ts'
import { findLongScans } from '../support/postgres/long-scans.ts'
import { explainPrepared } from '../support/postgres/statement-plans.ts'

/** What PostgreSQL is asked for, by connections that are opened from now on. */
function recordTexts() {
  const queries = vi.spyOn(Client.prototype, 'query')
  const toText = (query: unknown): string =>
    typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : String(query)
  return {
    reset: () => queries.mockClear(),
    list: () =>
      [...new Set(queries.mock.calls.map(([query]) => toText(query)))].filter(
        (text) => /^(?:with|select|insert|update|delete)\b/iu.test(text) && !text.includes('pg_notify'),
      ),
  }
}

/** Of what is due, they hold little else. */
const waysIn = namedIn(readFileSync('docs/scale.md', 'utf8'), 'Ways in that name no restaurant').flat()

async function openEmpty(): Promise<Database> {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  const database = await openDatabase(url)
  onTestFinished(() => database.close())
  return database
}

it('what guests, crews and their phones ask for reads no whole index where the tables were empty', async () => {
  const recording = recordTexts()
  const service = await startPushService()
  onTestFinished(() => service.stop())
  const app = await startTestApp({ ...service, scheduler: 'manual' })
  onTestFinished(() => app.stop())
  const restaurant = await openPushRestaurant(app, service)
  const { name, device, maya, jonas } = restaurant
  await app.whenIdle()
  recording.reset()

  const guest = app.browser()
  await guest.fetch(`/customer?r=${encodeURIComponent(name)}&t=1`)
  const table = { restaurantId: name, tableNumber: '1' }
  const screen = await connectScreen(device, maya.id)
  const send = async (serviceType: 'check' | 'drinks' | 'food') =>
    (await guest.ok(api.requests.send, { body: { id: randomUUID(), ...table, serviceType } })).request.id
  const [id, unwanted, slow] = [await send('check'), await send('food'), await send('drinks')]
  await screen.request({ type: 'requests-seen', ids: [id, unwanted] })
  for (const type of ['accept-request', 'release-request', 'complete-request', 'reopen-request'] as const)
    expect((await screen.request({ type, id })).type).toBe('ack')
  await guest.ok(api.requests.cancel, { params: { id: unwanted } })
  for (const ms of [41_000, 50_000]) await advanceBy(app, ms)
  await guest.ok(api.requests.stillWaiting, { params: { id: slow } })
  await screen.request({ type: 'accept-request', id: slow })
  await guest.ok(api.requests.mine, { query: table })
  await screen.request({ type: 'send-team-message', targetCrewId: jonas.id, messageText: 'Behind you' })
  await screen.request({ type: 'get-team-messages' })
  const call = randomUUID()
  await screen.request({ type: 'send-role-message', id: call, role: 'Host', messageKey: 'NEED_HELP' })
  await screen.request({ type: 'claim-role-message', id: call })
  await advanceBy(app, 10_000)
  await app.whenIdle()

  const texts = recording.list()
  expect(texts.length).toBeGreaterThan(30)
  const database = await openEmpty()
  await database.transact((db) => sql`analyze`.execute(db))
  const long: Record<string, string[]> = {}
  // Which notifications are due is asked for all restaurants at once.
  for (const text of texts.filter(
    (each) => !each.startsWith('select * from "service_request" where exists'),
  )) {
    const { ofAll } = await findLongScans(database, await explainPrepared(database, text))
    const unnamed = ofAll.filter((step) => !waysIn.some((index) => step.includes(` ${index} `)))
    if (unnamed.length > 0) long[text] = unnamed
  }
  expect(long).toEqual({})
})
