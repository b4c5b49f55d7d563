import type { Socket } from 'node:net'
import { expect, it, vi } from 'vitest'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import { DatabaseUnavailable } from '../../src/server/storage/engine/errors.ts'
import type { Database } from '../../src/server/storage/engine/types.ts'
import * as restaurants from '../../src/server/storage/restaurants.ts'
import * as settings from '../../src/server/storage/settings.ts'
import { startProxy } from '../support/buses.ts'
import { freshDatabase } from '../support/database.ts'

it.for<[string, (db: Database) => Promise<unknown>]>([
  ['statement', (db) => restaurants.findById(db.reader, 'r1')],
  ['query', (db) => settings.get(db.reader, 'color')],
  ['write', (db) => db.transact((inside) => settings.put(inside, 'color', 'red'))],
])('gives up a %s on a connection that no longer answers, and goes on with another', async ([, ask]) => {
  const { url, drop } = await freshDatabase()
  const connections: [Socket, Socket][] = []
  const proxy = await startProxy(url, (...pair) => connections.push(pair))
  const db = await openDatabase(proxy.url, { maxConnections: 1 })
  await ask(db)
  await db.transact((inside) => settings.put(inside, 'color', 'blue'))
  for (const [near, far] of connections) {
    near.unpipe(far).resume()
    far.unpipe(near).resume()
  }

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const failure = ask(db).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(45_000)
  vi.useRealTimers()
  expect(await failure).toBeInstanceOf(DatabaseUnavailable)
  expect(await settings.get(db.reader, 'color')).toBe('blue')

  await db.close()
  await proxy.remove()
  await drop()
})

it('loses few of many reads with a connection that no longer answers', async () => {
  const { url, drop } = await freshDatabase()
  const connections: [Socket, Socket][] = []
  const proxy = await startProxy(url, (...pair) => connections.push(pair))
  const db = await openDatabase(proxy.url, { maxConnections: 1 })
  await settings.get(db.reader, 'color')
  for (const [near, far] of connections) {
    near.unpipe(far).resume()
    far.unpipe(near).resume()
  }

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const reads = Promise.allSettled(Array.from({ length: 200 }, () => settings.get(db.reader, 'color')))
  await vi.advanceTimersByTimeAsync(25_000)
  vi.useRealTimers()
  const lost = (await reads).filter(({ status }) => status === 'rejected')
  expect(lost.length).toBeGreaterThan(0)
  expect(lost.length).toBeLessThan(100)

  await db.close()
  await proxy.remove()
  await drop()
})
