import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { type ServiceRequest, serviceTypes } from '#contract/requests/requests.ts'
import { password, TestBrowser } from '../support/app.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { isLongRun } from '../support/long-run.ts'
import { pendingRequests } from '../support/pages/crew-view.ts'
import { type ServerProcess, startServer } from '../support/servers/server-process.ts'

const rounds = isLongRun ? 20 : 7
const restaurantName = 'Blue Door'

let database: TestDatabase
let server: ServerProcess
beforeEach(async () => {
  database = await freshDatabase()
  server = await startServer(database.url)
})
afterEach(async () => {
  await server.kill()
  await database.drop()
})

type Tap = {
  id: string
  restaurantId: string
  tableNumber: string
  serviceType: ServiceRequest['serviceType']
}

let taps = 0

/** A tap at a table of its own, which merges with no other request. */
function newTap(): Tap {
  const serviceType = serviceTypes[++taps % serviceTypes.length] ?? 'general'
  return { id: randomUUID(), restaurantId: restaurantName, tableNumber: `${taps}`, serviceType }
}

type Send = (tap: Tap) => Promise<ServiceRequest>

async function overHttp(): Promise<Send> {
  const browser = new TestBrowser(() => server.url)
  return async (tap) => (await browser.ok(api.requests.send, { body: tap })).request
}

async function overLiveChannel(): Promise<Send> {
  const socket = await new TestBrowser(() => server.url).connect()
  return async (tap) => {
    const answer = await socket.request({ type: 'service-request', ...tap })
    if (answer.type === 'error' || !answer.request) throw new Error(JSON.stringify(answer))
    return answer.request
  }
}

/** Below the limit of messages per second for one socket. */
const tapsOfOneGuest = 18

/**
 * Guests send one request after another until enough have been answered and the server is killed: it stops in the
 * middle of what it does, and another tap comes before it is gone. Every third tap is sent twice at the same time, as an
 * impatient phone does.
 */
async function burst(guests: Send[], killAfter: number): Promise<{ sent: Tap[]; stored: ServiceRequest[] }> {
  const sent: Tap[] = []
  const stored: ServiceRequest[] = []
  let killed: Promise<void> | undefined
  await Promise.all(
    guests.map(async (send) => {
      for (let count = 0; count < tapsOfOneGuest && !killed; count++) {
        const tap = newTap()
        sent.push(tap)
        const isEnough = stored.length >= killAfter
        if (isEnough) process.kill(server.pid, 'SIGSTOP')
        const answering = Promise.allSettled(count % 3 === 2 ? [send(tap), send(tap)] : [send(tap)])
        if (isEnough) killed ??= setImmediate().then(() => server.kill())
        const answers = await answering
        const [request] = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
        if (request) stored.push(request)
        else if (!killed) throw new AggregateError(reasons(answers), `no answer; ${server.lines.join('\n')}`)
      }
    }),
  )
  await killed
  return { sent, stored }
}

const reasons = (answers: PromiseSettledResult<unknown>[]): unknown[] =>
  answers.map((answer) => (answer.status === 'rejected' ? answer.reason : undefined))

async function pending(crew: TestBrowser): Promise<Map<string, ServiceRequest>> {
  const { requests, recent } = await pendingRequests(crew)
  expect(recent).toEqual([])
  const byId = new Map(requests.map((request) => [request.id, request]))
  expect(requests).toHaveLength(byId.size)
  return byId
}

/** Read from the database, since the server is gone. */
async function rows(sql: string): Promise<Record<string, unknown>[]> {
  if (database.url.startsWith('file:')) {
    using file = new DatabaseSync(database.url.slice('file:'.length), { readOnly: true })
    return file
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }))
  }
  const client = new Client(database.url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const sortById = (found: Record<string, unknown>[]) =>
  found.toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))

it(`keeps every acknowledged request exactly once when killed ${rounds} times in the middle of a burst`, async () => {
  const crew = new TestBrowser(() => server.url)
  await crew.ok(api.accounts.signUp, {
    body: { restaurantName, email: 'owner@example.com', password, timeZone: 'UTC' },
  })
  const everyTap = new Map<string, Tap>()
  const unanswered: number[] = []

  for (let round = 0; round < rounds; round++) {
    const guests = await Promise.all([
      ...Array.from({ length: 12 }, overHttp),
      ...Array.from({ length: 8 }, overLiveChannel),
    ])
    const { sent, stored } = await burst(guests, 10 + ((round * 7) % 40))
    for (const tap of sent) everyTap.set(tap.id, tap)
    server = await startServer(database.url)

    const after = await pending(crew)
    for (const { level: _, ...request } of stored) expect(after.get(request.id)).toMatchObject(request)
    expect([...after.keys()].filter((id) => !everyTap.has(id))).toEqual([])

    const answered = new Set(stored.map(({ id }) => id))
    unanswered.push(sent.filter(({ id }) => !answered.has(id)).length)
    const lateComers = await Promise.all([overHttp(), overLiveChannel(), overHttp(), overHttp()])
    const again = sent.filter(({ id }, index) => !answered.has(id) || index % 4 === 0)
    await Promise.all(
      lateComers.map(async (send, guest) => {
        for (const tap of again.filter((_, index) => index % lateComers.length === guest)) {
          expect(await send(tap)).toMatchObject({ id: tap.id, tableNumber: tap.tableNumber, asks: 1 })
        }
      }),
    )
    expect([...(await pending(crew)).keys()].toSorted()).toEqual([...everyTap.keys()].toSorted())
  }

  await server.kill()
  expect(server.lines).toEqual([])
  // Every kill came while guests were waiting for answers.
  expect(unanswered.filter((count) => count === 0)).toEqual([])
  const ids = [...everyTap.keys()].toSorted()
  const requests = sortById(await rows('select id, asks, level from service_request'))
  expect(requests).toEqual(ids.map((id) => ({ id, asks: 1, level: expect.any(Number) })))
  const events = sortById(await rows('select id, request_id, kind from request_event'))
  expect(events.filter(({ kind }) => kind !== 'escalated')).toEqual(
    ids.map((id) => ({ id, request_id: id, kind: 'created' })),
  )
  // Nobody accepted, so requests escalated: each level once, despite the kills.
  const steps = Map.groupBy(events, (event) => String(event['request_id']))
  expect(requests.filter(({ id, level }) => level !== (steps.get(String(id))?.length ?? 0) - 1)).toEqual([])
  expect(await rows('select name, cast(last_seq as integer) as last_seq from live_stream')).toEqual([
    { name: 'staff', last_seq: events.length },
  ])
})
