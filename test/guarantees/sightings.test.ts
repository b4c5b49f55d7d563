import { StatementSync } from 'node:sqlite'
import { Client } from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { anonymousActor } from '../../src/server/core/actor.ts'
import * as crewRequests from '../../src/server/core/requests/crew-requests.ts'
import * as requests from '../../src/server/core/requests/requests.ts'
import type { Event } from '../../src/server/ports/bus.ts'
import { startTestApp } from '../support/app.ts'
import { deviceActor } from '../support/restaurants/device-actor.ts'

const onPostgres = process.env['TEST_DATABASE_URL'] !== undefined

async function start() {
  const app = await startTestApp({ guestLimits: false })
  onTestFinished(() => app.stop())
  const openRestaurant = async () => {
    const { name, device } = await app.restaurant()
    const restaurantId = await app.idOf({ name })
    const screen = (session: string) => deviceActor(restaurantId, session)
    const ask = async (tableNumber: string): Promise<string> => {
      const tap = { restaurantId: name, tableNumber, serviceType: 'check' as const }
      return (await requests.send(app.ctx, anonymousActor(), tap)).request.id
    }
    return { name, device, screen, ask }
  }
  const events: Event[] = []
  app.ctx.commitListeners.push((announced) => events.push(...announced))
  return { app, events, openRestaurant, ...(await openRestaurant()) }
}

/**
 * On PostgreSQL every statement but those of the bus, which may still be sending what came before. On SQLite, where a
 * statement runs once for each of its inputs inside the process, the different ones.
 */
function countStatements() {
  if (onPostgres) {
    const queries = vi.spyOn(Client.prototype, 'query')
    onTestFinished(() => queries.mockRestore())
    return {
      reset: () => queries.mockClear(),
      statements: () => queries.mock.calls.filter(([query]) => !isSignal(query)).length,
      commits: () => queries.mock.calls.filter(([text]) => text === 'commit').length,
    }
  }
  const texts: string[] = []
  for (const method of ['all', 'run'] as const) {
    const original = StatementSync.prototype[method]
    vi.spyOn(StatementSync.prototype, method).mockImplementation(function (this: StatementSync, ...values) {
      texts.push(this.sourceSQL)
      return Reflect.apply(original, this, values)
    })
  }
  onTestFinished(() => void vi.restoreAllMocks())
  return {
    reset: () => texts.splice(0),
    statements: () => new Set(texts).size,
    commits: () => texts.filter((text) => text === 'commit').length,
  }
}

const isSignal = (query: unknown): boolean =>
  typeof query === 'object' && query !== null && 'name' in query && query.name === 'notify'

it('costs the same statements, commits and announcements whether 1, 20 or 200 screens show a request', async () => {
  const counter = countStatements()
  const { app, screen, ask, events } = await start()
  const show = async (screens: number, ids: string[]) => {
    counter.reset()
    events.length = 0
    const all = Array.from({ length: screens }, (_, index) => screen(`screen-${index}`))
    await Promise.all(all.map((actor) => crewRequests.markSeen(app.ctx, actor, { ids })))
    return { statements: counter.statements(), commits: counter.commits(), announced: events.length }
  }
  // Prepares statements, and loads what is loaded only once.
  const first = await ask('first')
  await show(1, [first])
  const repeat = await show(1, [first])
  const costs: unknown[] = []
  for (const screens of [1, 20, 200]) {
    const ids = [await ask(`a${screens}`), await ask(`b${screens}`)]
    costs.push(await show(screens, ids))
    const rows = await app.ctx.db.reader
      .selectFrom('serviceRequest')
      .select('seen')
      .where('id', 'in', ids)
      .execute()
    expect(rows).toEqual([{ seen: screens }, { seen: screens }])
    expect(await show(screens, [...ids, 'not-there'])).toEqual(repeat)
  }
  // Each request is announced to the crew and to its table.
  expect(costs[0]).toMatchObject({ commits: 1, announced: 4 })
  expect(costs).toEqual([costs[0], costs[0], costs[0]])
  expect(repeat.announced).toBe(0)
  // Besides BEGIN, COMMIT and on SQLite a savepoint, one stores. If it did, the row and the stream change.
  expect(repeat.statements).toBe(onPostgres ? 3 : 5)
  expect(costs[0]).toMatchObject({ statements: repeat.statements + 2 })
})

it('shares a commit between the screens of several restaurants', async () => {
  const counter = countStatements()
  const { app, events, openRestaurant } = await start()
  const restaurants = await Promise.all([1, 2, 3, 4].map(() => openRestaurant()))
  const ids = await Promise.all(restaurants.map(({ ask }) => ask('1')))
  const showIn = async (count: number) => {
    counter.reset()
    events.length = 0
    await Promise.all(
      restaurants
        .slice(0, count)
        .flatMap(({ screen }, index) =>
          Array.from({ length: 20 }, (_, each) =>
            crewRequests.markSeen(app.ctx, screen(`${count}-${each}`), { ids: [ids[index] ?? ''] }),
          ),
        ),
    )
    return { statements: counter.statements(), commits: counter.commits(), announced: events.length }
  }
  await showIn(4)
  const alone = await showIn(1)
  expect(alone).toMatchObject({ commits: 1, announced: 2 })
  expect(await showIn(3)).toEqual({ ...alone, announced: 6 })
})

it('sends each screen one message for what 1, 20 or 200 have shown', async () => {
  const { app, device, screen, ask } = await start()
  const sockets = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = await device.connect()
      await socket.request({ type: 'get-pending-requests' })
      return socket
    }),
  )
  for (const screens of [1, 20, 200]) {
    const id = await ask(`${screens}`)
    const all = Array.from({ length: screens }, (_, index) => screen(`screen-${index}`))
    await Promise.all(all.map((actor) => crewRequests.markSeen(app.ctx, actor, { ids: [id] })))
    await crewRequests.complete(app.ctx, screen('screen-0'), { id })
    for (const socket of sockets) {
      await socket.next('request-completed')
      const updates = socket.ofType('request-updated').filter(({ request }) => request.id === id)
      expect(updates.map(({ request }) => request.seen)).toEqual([screens])
    }
  }
})

it('keeps what each screen and person said, and counts two tabs of one browser once', async () => {
  const { app, screen, ask } = await start()
  const id = await ask('1')
  const maya = { id: 'maya', name: 'Maya', role: 'Server' as const }
  await Promise.all([
    crewRequests.markSeen(app.ctx, { ...screen('a'), crewMember: maya }, { ids: [id] }),
    crewRequests.markSeen(app.ctx, screen('a'), { ids: [id, id] }),
    crewRequests.markSeen(app.ctx, screen('b'), { ids: [id] }),
    expect(crewRequests.markSeen(app.ctx, anonymousActor(), { ids: [id] })).rejects.toThrow('Unauthorized'),
  ])
  const events = await app.ctx.db.reader
    .selectFrom('requestEvent')
    .select(['id', 'actorName', 'at'])
    .where('kind', '=', 'seen')
    .orderBy('id')
    .execute()
  expect(events).toEqual([
    { id: `seen:${id}:a`, actorName: 'Maya', at: app.now() },
    { id: `seen:${id}:b`, actorName: 'Crew', at: app.now() },
  ])
})

it('stores what screens said before the server stops', async () => {
  const { app, device, ask } = await start()
  const id = await ask('1')
  const socket = await device.connect()
  const arrived = new Promise<void>((resolve) => {
    const { sightings } = app.ctx
    app.ctx.sightings = {
      add(...sighting) {
        resolve()
        return sightings.add(...sighting)
      },
    }
  })
  socket.send({ type: 'requests-seen', ids: [id] })
  await arrived
  await app.restart()
  const row = await app.ctx.db.reader.selectFrom('serviceRequest').select('seen').executeTakeFirst()
  expect(row).toEqual({ seen: 1 })
})

it('keeps no tap waiting for what its screen has shown to be stored', async () => {
  const { app, device, ask } = await start()
  const id = await ask('1')
  const socket = await device.connect()
  const { sightings } = app.ctx
  const released = Promise.withResolvers<void>()
  app.ctx.sightings = {
    async add(...sighting) {
      await released.promise
      await sightings.add(...sighting)
    },
  }
  socket.send({ type: 'requests-seen', ref: 'seen', ids: [id] })
  expect(await socket.request({ type: 'complete-request', id })).toMatchObject({ type: 'ack' })
  const answered = () => socket.ofType('ack').map(({ ref }) => ref)
  expect(answered()).not.toContain('seen')
  released.resolve()
  await expect.poll(answered).toContain('seen')
})
