import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { setUpApp } from '../../../test/support/app.ts'
import { silentSocket } from '../../../test/support/pages/silent-socket.ts'
import { storedDeviceActor } from '../../../test/support/restaurants/device-actor.ts'
import { signOut } from '../core/accounts/sessions/sessions.ts'
import { identifyToken } from '../core/accounts/sessions/token-identity.ts'
import type { Ctx } from '../core/ctx.ts'
import { Connection, type Disconnect } from './connection.ts'
import { createSessionChecker } from './session-checker.ts'

const app = setUpApp()

it('a screen is asked to choose again when its crew member has changed meanwhile', async () => {
  const restaurant = await app.restaurant()
  const { owner } = restaurant
  const { id, name, role } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const actor = await storedDeviceActor(app.ctx, await app.idOf(restaurant))
  const connection = new Connection(silentSocket, actor, app.now())
  const disconnected: Parameters<Disconnect>[] = []
  const checker = createSessionChecker(app.ctx, new Set([connection]), (...how) => disconnected.push(how))
  checker.opened(connection)

  // What the choice read is outdated by now, and the screen did not hear of it.
  await owner.ok(api.crew.change, { params: { id }, body: { pin: '4711' } })
  checker.crewMemberChanged(id)
  connection.actor = { ...actor, crewMember: { id, name, role } }
  expect(await checker.crewMemberChosen(connection)).toBe(false)
  expect(disconnected).toEqual([[connection, 1012, 'Please choose your name again']])
})

it('checks a login before each tap, but for what screens send by themselves only now and then', async () => {
  const actor = await storedDeviceActor(app.ctx, await app.idOf(await app.restaurant()))
  let now = app.now()
  const connection = new Connection(silentSocket, actor, now)
  const checker = createSessionChecker({ ...app.ctx, now: () => now }, new Set([connection]), () => {})
  const isCheckedFor = async (type: 'requests-seen' | 'accept-request', afterMs: number) => {
    now = connection.lastCheckedAt + afterMs
    expect(await checker.canHandle(connection, type)).toBe(true)
    return connection.lastCheckedAt === now
  }
  expect(await isCheckedFor('requests-seen', 44_000)).toBe(false)
  expect(await isCheckedFor('requests-seen', 46_000)).toBe(true)
  expect(await isCheckedFor('accept-request', 1)).toBe(true)
})

it('looks up the login and the crew member at once, because whoever taps waits for both', async () => {
  const restaurant = await app.restaurant()
  const { id, name, role } = await restaurant.owner.ok(api.crew.add, {
    body: { name: 'Maya', role: 'Server' },
  })
  const actor = await storedDeviceActor(app.ctx, await app.idOf(restaurant))
  const connection = new Connection(
    silentSocket,
    { ...actor, crewMember: { id, name, role } },
    app.now() - dayMs,
  )
  const asked: string[] = []
  const answered = Promise.withResolvers<void>()
  const reader = new Proxy(app.ctx.db.reader, {
    get(db, property) {
      const value = Reflect.get(db, property)
      if (property !== 'run') return value
      return async (statement: { name: string }, ...input: unknown[]) => {
        asked.push(statement.name)
        await answered.promise
        return Reflect.apply(value, db, [statement, ...input])
      }
    },
  })
  const ctx = { ...app.ctx, db: { ...app.ctx.db, reader } }
  const checker = createSessionChecker(ctx, new Set([connection]), () => {})
  const checked = checker.check(connection)
  await expect.poll(() => asked.toSorted()).toEqual(['crew-member', 'session-by-id'])
  answered.resolve()
  expect(await checked).toBe(true)
  expect(connection.actor.crewMember).toEqual({ id, name, role })
})

it('ends the connection of software whose token expires while nothing is said', async () => {
  const { owner } = await app.restaurant()
  const body = { name: 'Till', scopes: ['requests:read' as const], days: 30 as const }
  const { token } = await owner.ok(api.apiTokens.create, { body })
  const actor = await identifyToken(app.ctx, token, { address: 'local', userAgent: null })
  const connection = new Connection(silentSocket, actor, app.now())
  let now = app.now()
  const disconnected: Parameters<Disconnect>[] = []
  const ctx = { ...app.ctx, now: () => now }
  const checker = createSessionChecker(ctx, new Set([connection]), (...how) => disconnected.push(how))
  checker.opened(connection)
  const checkAfter = (days: number) => {
    now = app.now() + days * dayMs
    checker.tick(now, 1_000)
    expect(connection.lastCheckedAt).toBe(now)
  }
  checkAfter(29)
  await expect.poll(() => connection.unconfirmedSince).toBeNull()
  expect(disconnected).toEqual([])
  checkAfter(31)
  await expect.poll(() => disconnected).toEqual([[connection, 4401, 'Signed out']])
})

it('says why a screen is signed out, even where it only asks by itself: its owner has deleted the restaurant', async () => {
  const { name, owner } = await app.restaurant()
  const actor = await storedDeviceActor(app.ctx, await app.idOf({ name }))
  const connection = new Connection(silentSocket, actor, app.now())
  const disconnected: Parameters<Disconnect>[] = []
  const checker = createSessionChecker(app.ctx, new Set([connection]), (...how) => disconnected.push(how))
  checker.opened(connection)
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  // The signal did not reach this node.
  checker.recheckAll()
  await expect.poll(() => disconnected).toEqual([[connection, 4401, 'Restaurant deleted']])
})

it('sends nothing more once a session has changed, until a check that began afterwards lets it go on', async () => {
  const actor = await storedDeviceActor(app.ctx, await app.idOf(await app.restaurant()))
  const sent: string[] = []
  const socket = { ...silentSocket, send: (frame: Buffer) => void sent.push(frame.toString()) }
  const connection = new Connection(socket, actor, app.now())
  const checker = createSessionChecker(app.ctx, new Set([connection]), (to, ...how) => to.close(...how))
  checker.opened(connection)
  const changed = () => checker.sessionsChanged(new Set([actor.sessionId ?? '']), { onPurpose: false })

  changed()
  connection.send(Buffer.from('while it is checked'))
  expect(sent).toEqual([])
  await expect.poll(() => sent).toEqual(['while it is checked'])

  const begunBefore = checker.check(connection)
  await signOut(app.ctx, actor)
  changed()
  connection.send(Buffer.from('after the sign-out'))
  await begunBefore
  await expect.poll(() => connection.isClosing).toBe(true)
  expect(sent).toEqual(['while it is checked'])
})

it.each([
  ['while an earlier one was still answered', 1_001],
  ['just before the clock was set back', -3_600_000],
])('lets a screen go on soon although the look-up after a change failed %s', async (_, passedMs) => {
  const actor = await storedDeviceActor(app.ctx, await app.idOf(await app.restaurant()))
  let now = app.now()
  let isDatabaseAway = false
  const ctx: Ctx = {
    ...app.ctx,
    now: () => now,
    get db() {
      if (isDatabaseAway) throw new Error('The database is away')
      return app.ctx.db
    },
  }
  const sent: string[] = []
  const socket = { ...silentSocket, send: (frame: Buffer) => void sent.push(frame.toString()) }
  const connection = new Connection(socket, actor, now)
  const checker = createSessionChecker(ctx, new Set([connection]), (to, ...how) => to.close(...how))
  checker.opened(connection)

  const begunBefore = checker.check(connection)
  isDatabaseAway = true
  checker.sessionsChanged(new Set([actor.sessionId ?? '']), { onPurpose: false })
  isDatabaseAway = false
  connection.send(Buffer.from('an alert'))
  expect(await begunBefore).toBe(true)
  expect(sent).toEqual([])

  now += passedMs
  checker.tick(now, 1_000)
  await expect.poll(() => sent).toEqual(['an alert'])
  // The look-up that failed was logged as an error.
  app.lines.length = 0
})
