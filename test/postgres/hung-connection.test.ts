import { expect, it, vi } from 'vitest'
import * as restaurants from '../../src/server/storage/accounts/restaurants.ts'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import { DatabaseUnavailable } from '../../src/server/storage/engine/errors.ts'
import type { Database } from '../../src/server/storage/engine/types.ts'
import * as settings from '../../src/server/storage/settings.ts'
import { startProxy } from '../support/buses.ts'
import { freshDatabase } from '../support/database.ts'

it.for<[string, (db: Database) => Promise<unknown>]>([
  ['statement', (db) => restaurants.findById(db.reader, 'r1')],
  ['query', (db) => settings.get(db.reader, 'color')],
  ['write', (db) => db.transact((inside) => settings.put(inside, 'color', 'red'))],
])('gives up a %s on a connection that no longer answers, and goes on with another', async ([, ask]) => {
  const { url, drop } = await freshDatabase()
  const proxy = await startProxy(url)
  const db = await openDatabase(proxy.url, { maxConnections: 1 })
  await ask(db)
  await db.transact((inside) => settings.put(inside, 'color', 'blue'))
  proxy.freeze()

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
  const proxy = await startProxy(url)
  const db = await openDatabase(proxy.url, { maxConnections: 1 })
  await settings.get(db.reader, 'color')
  proxy.freeze()

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

it('stores taps again within 25 seconds after the network fell silent, however many connections there were', async () => {
  const { url, drop } = await freshDatabase()
  const proxy = await startProxy(url)
  const db = await openDatabase(proxy.url)
  const tables = ['1', '2', '3', '4']
  let begun = 0
  const all = Promise.withResolvers<void>()
  await Promise.all(
    tables.map((table) =>
      db.transact(async (inside) => {
        await settings.put(inside, table, 'asked')
        if (++begun === tables.length) all.resolve()
        await all.promise
      }),
    ),
  )
  proxy.freeze()

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const stored: string[] = []
  const failures: unknown[] = []
  // As a guest's page does, again until it is stored.
  const tap = async (table: string): Promise<void> => {
    const group = { name: 'taps', keys: [table], scope: table }
    try {
      await db.transact((inside) => settings.put(inside, table, 'asked again'), { group })
      stored.push(table)
    } catch (error) {
      failures.push(error)
      await tap(table)
    }
  }
  const taps = tables.map(tap)
  await vi.advanceTimersByTimeAsync(25_000)
  await expect.poll(() => stored.toSorted()).toEqual(tables)
  vi.useRealTimers()
  await Promise.all(taps)
  expect(failures.filter((failure) => !(failure instanceof DatabaseUnavailable))).toEqual([])

  await db.close()
  await proxy.remove()
  await drop()
})
