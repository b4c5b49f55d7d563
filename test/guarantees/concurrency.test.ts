import { createECDH, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { closeCodes, type ClientMessageInput } from '#contract/live.ts'
import { serviceTypes } from '#contract/requests/requests.ts'
import { escalateDueRequests } from '../../src/server/core/requests/escalation/escalation.ts'
import { type TestResponse, password, setUpApp, type TestBrowser } from '../support/app.ts'

const app = setUpApp({ guestLimits: false })
// The tests fail if the server logs an error.

/** The answers of simultaneous calls. A race in the server would show as a 500. */
class Answers {
  readonly failures: string[] = []
  readonly statuses = new Set<string>()

  async of<T>(what: string, answer: Promise<TestResponse<T>>): Promise<TestResponse<T>> {
    const response = await answer
    this.statuses.add(`${what}: ${response.status}`)
    if (response.status >= 500) this.failures.push(`${what}: ${JSON.stringify(response.body)}`)
    return response
  }
}

/** Pseudo-random, and the same in every run. */
const pick = <T>(all: readonly T[], index: number): T | undefined => all[(index * 7 + 3) % all.length]

async function repeat(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < count; index++) await work(index)
}

/** Sends a message on a reconnecting socket, and retries whenever its member was changed or removed. */
async function screenOf(device: TestBrowser) {
  let screen = await device.connect()
  return async (message: ClientMessageInput) => {
    for (;;) {
      const answer = await Promise.race([screen.request(message).catch(() => null), screen.closed])
      if (answer !== null && typeof answer === 'object') return answer
      expect(await screen.closed).toBe(closeCodes.restart)
      screen = await device.connect()
    }
  }
}

const roles = ['Server', 'Host', 'Busser'] as const

it('lets owners change the floor while guests send requests and the crew works', async () => {
  const { owner, device, name } = await app.restaurant({ tables: ['1', '2', '3', '4', '5', '6'] })
  const answers = new Answers()
  const date = new Date(app.now()).toISOString().slice(0, 10)
  const add = (index: number) =>
    owner.call(api.crew.add, { body: { name: `Crew ${index}`, role: pick(roles, index) ?? 'Host' } })
  await repeat(9, add)
  const crew = () => owner.ok(api.crew.list, {})
  const tables = () => owner.ok(api.floor.tables, {})

  const changes: ((index: number) => Promise<unknown>)[] = [
    (index) => answers.of('add crew', add(index)),
    async (index) => {
      const id = pick(await crew(), index)?.id ?? ''
      await answers.of('remove crew', owner.call(api.crew.remove, { params: { id } }))
    },
    async (index) => {
      const params = { id: pick(await crew(), index)?.id ?? '' }
      const body = { role: pick(roles, index + 1) ?? 'Host' }
      await answers.of('change crew', owner.call(api.crew.change, { params, body }))
    },
    () =>
      answers.of('set up', owner.call(api.floor.setUp, { body: { setupType: 'range', start: 1, end: 6 } })),
    async (index) => {
      const params = { id: pick(await tables(), index)?.id ?? '' }
      const query = { confirm: 'true' as const }
      await answers.of('remove table', owner.call(api.floor.removeTable, { params, query }))
    },
    async (index) => {
      const people = await crew()
      const assignments = (await tables()).map(({ id }, at) => ({
        tableId: id,
        crewMemberId: pick(people, index + at)?.id ?? null,
      }))
      const inAnyOrder = index % 2 === 0 ? assignments : assignments.toReversed()
      await answers.of('assign', owner.call(api.floor.assign, { body: { date, assignments: inAnyOrder } }))
    },
    () => answers.of('copy', owner.call(api.floor.copyToWeek, { body: { sourceDate: date } })),
    async () => {
      const crewIds = (await crew()).filter(({ role }) => role === 'Host').map(({ id }) => id)
      await answers.of('hosts', owner.call(api.floor.assignHostStand, { body: { date, crewIds } }))
    },
  ]
  const change = (index: number) => changes[index % changes.length]?.(index)

  const requestIds: string[] = []
  const stillWaiting = new Set<string>()
  async function visit(guest: TestBrowser, index: number): Promise<void> {
    const { status, body } = await answers.of(
      'ask',
      guest.call(api.requests.send, {
        body: {
          restaurantId: name,
          tableNumber: `${1 + (index % 6)}`,
          serviceType: pick(serviceTypes, index) ?? 'general',
        },
      }),
    )
    if (status >= 300) return
    const { id } = body.request
    requestIds.push(id)
    if (index % 3 === 0) {
      // Sent long enough ago for "Still waiting" to count.
      await app.ctx.db.transact((db) =>
        db
          .updateTable('serviceRequest')
          .set((e) => ({ createdAt: e('createdAt', '-', 90_000) }))
          .where('id', '=', id)
          .execute(),
      )
      const answer = await answers.of(
        'still waiting',
        guest.call(api.requests.stillWaiting, { params: { id } }),
      )
      if (answer.status === 200) stillWaiting.add(id)
    }
    if (index % 4 === 0) await answers.of('cancel', guest.call(api.requests.cancel, { params: { id } }))
  }

  const guests = await Promise.all(
    [1, 2, 3].map(async () => {
      const guest = app.browser()
      await guest.call(api.requests.mine, { query: { restaurantId: name, tableNumber: '1' } })
      return guest
    }),
  )
  // None of them exceeds the server's message rate limit.
  const screens = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => screenOf(device)))
  const taps: ((id: string, person: string) => ClientMessageInput)[] = [
    (_, crewMemberId) => ({ type: 'set-crew-member-context', crewMemberId }),
    (id) => ({ type: 'accept-request', id }),
    () => ({ type: 'requests-seen', ids: requestIds.slice(-9) }),
    (_, coverId) => ({ type: 'start-break', coverId }),
    (id) => ({ type: 'release-request', id }),
    () => ({ type: 'requests-seen', ids: requestIds.slice(-9).toReversed() }),
    () => ({ type: 'end-break' }),
    (id) => ({ type: 'complete-request', id }),
    (id) => ({ type: 'reopen-request', id }),
  ]
  async function tap(send: (typeof screens)[number], index: number): Promise<void> {
    const person = pick(await crew(), index)?.id ?? ''
    const message = taps[index % taps.length]?.(requestIds.at(-1 - (index % 5)) ?? 'none', person)
    const answer = message && (await send(message))
    if (answer?.type === 'error' && answer.code === 'internal') answers.failures.push(`${message?.type}`)
  }

  await Promise.all([
    ...[0, 1, 2, 3].map((first) => repeat(24, async (index) => change(index + first * 3))),
    ...guests.map((guest, first) => repeat(40, (index) => visit(guest, index + first))),
    ...screens.map((screen, first) => repeat(16, (index) => tap(screen, index + first * 2))),
    repeat(20, async () => {
      app.advance(1000)
      await escalateDueRequests(app.ctx)
    }),
  ])

  expect(answers.failures).toEqual([])
  const [people, known] = [await crew(), await tables()]
  const stand = await owner.ok(api.floor.hostStand, {})
  const placed = await owner.ok(api.floor.assignmentsByDate, { query: { date } })
  expect(people.map(({ id }) => id)).toEqual(
    expect.arrayContaining(placed.map(({ crewMemberId }) => crewMemberId)),
  )
  expect([stand, ...known].map(({ id }) => id)).toEqual(
    expect.arrayContaining(placed.map(({ tableId }) => tableId)),
  )
  const stored = await app.ctx.db.reader
    .selectFrom('requestEvent')
    .select('requestId')
    .where('restaurantId', '=', await app.idOf({ name }))
    .where('kind', '=', 'still_waiting')
    .execute()
  expect(stillWaiting.size).toBeGreaterThan(0)
  expect(stored.map(({ requestId }) => requestId)).toEqual(expect.arrayContaining([...stillWaiting]))
})

it('lets sessions end while they are in use', async () => {
  const { owner, name } = await app.restaurant({ tables: ['1'] })
  const answers = new Answers()
  const maya = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const login = { username: 'maya.lopez', password }
  await owner.ok(api.crew.change, { params: { id: maya.id }, body: { pin: '4711', ...login } })
  const manager = { username: 'boss', password }
  await owner.ok(api.managers.setCredentials, { body: manager })

  async function signInAndOut(): Promise<void> {
    const browser = app.browser()
    await answers.of(
      'device',
      browser.call(api.accounts.restaurantLogin, { body: { restaurantName: name, password } }),
    )
    const screen = await browser.connect()
    const phone = (crewMemberId: string | null) =>
      browser.call(api.push.subscribe, { body: { ...newPhone(), audience: 'crew', crewMemberId } })
    await Promise.all([
      screen.request({ type: 'set-crew-member-context', crewMemberId: maya.id, pin: '4711' }).then(
        (answer) => {
          if (answer.type === 'error' && answer.code === 'internal') answers.failures.push('choose')
        },
        // The logout closed it first.
        () => undefined,
      ),
      answers.of('phone', phone(maya.id)),
      answers.of('phone', phone(null)),
      answers.of('leave', browser.send('GET', '/api/logout')),
      answers.of('crew', browser.call(api.accounts.crewLogin, { body: login })),
      answers.of('phone', phone(null)),
      answers.of('manager', browser.call(api.managers.login, { body: { restaurantName: name, ...manager } })),
    ])
  }

  await Promise.all([
    ...[1, 2, 3].map(() => repeat(8, signInAndOut)),
    repeat(8, () =>
      answers.of('pin', owner.call(api.crew.change, { params: { id: maya.id }, body: { pin: '4711' } })),
    ),
    repeat(8, () => answers.of('boss', owner.call(api.managers.setCredentials, { body: manager }))),
  ])
  expect(answers.failures).toEqual([])
  expect([...answers.statuses]).toEqual(expect.arrayContaining(['leave: 302', 'crew: 200', 'manager: 200']))
})

function newPhone() {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  return {
    endpoint: `https://push.example.com/${randomBytes(9).toString('base64url')}`,
    keys: { p256dh: keys.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') },
  }
}
