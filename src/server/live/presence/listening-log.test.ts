import { expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestBrowser } from '../../../../test/support/app.ts'
import { freshDatabase } from '../../../../test/support/database.ts'
import { recordHeartbeat, recordListeningChanges } from '../../core/presence/listening.ts'
import { createListeningLog } from './listening-log.ts'

async function noted(app: TestApp, name: string) {
  return app.ctx.db.reader
    .selectFrom('listeningChange')
    .select(['at', 'listening'])
    .where('restaurantId', '=', await app.idOf({ name }))
    .orderBy('at')
    .orderBy('id')
    .execute()
}

/** The record is written shortly after the screens are informed. */
async function willBe(app: TestApp, name: string, listening: number[]): Promise<void> {
  await expect.poll(async () => (await noted(app, name)).map((row) => row.listening)).toEqual(listening)
}

async function listening(app: TestApp, device: TestBrowser) {
  const screen = await device.connect()
  screen.send({ type: 'get-pending-requests' })
  while (!(await screen.next('presence')).listening);
  return screen
}

it('records when the first screen of a restaurant starts listening and when the last one leaves', async () => {
  // The last screen may come back for a moment.
  const app = await startTestApp({ clock: 'running' })
  const { name, device } = await app.restaurant()
  const guest = await app.browser().connect()
  await guest.request({ type: 'set-restaurant-context', restaurantId: name, tableNumber: '7' })
  const [first, second] = [await listening(app, device), await listening(app, device)]
  await willBe(app, name, [1])
  first.close()
  while ((await guest.next('presence')).screens !== 1);
  expect(await noted(app, name)).toHaveLength(1)
  app.advance(5_000)
  const before = app.now()
  second.close()
  while ((await guest.next('presence')).listening);
  await willBe(app, name, [1, 0])
  expect((await noted(app, name))[1]?.at).toBeGreaterThanOrEqual(before)
  await app.stop()
})

it('records that nobody listens while the server is stopped', async () => {
  const app = await startTestApp()
  const { name, device } = await app.restaurant()
  await listening(app, device)
  await app.restart()
  await willBe(app, name, [1, 0])
  await listening(app, device)
  await willBe(app, name, [1, 0, 1])
  await app.stop()
})

it('records after a crash that nobody has listened since the last heartbeat', async () => {
  const database = await freshDatabase()
  const crashed = await startTestApp({ databaseUrl: database.url })
  const { name } = await crashed.restaurant()
  const [since, lastBeat] = [crashed.now() - 7_200_000, crashed.now() - 3_600_000]
  await recordListeningChanges(crashed.ctx, [
    { restaurantId: await crashed.idOf({ name }), isListening: true, at: since },
  ])
  await recordHeartbeat({ ...crashed.ctx, now: () => lastBeat })
  await crashed.stop()
  const app = await startTestApp({ databaseUrl: database.url })
  const { device } = await app.restaurant({ name: 'Red Lantern' })
  // The first new record comes after the ones found at the start.
  await listening(app, device)
  expect(await noted(app, name)).toEqual([
    { at: since, listening: 1 },
    { at: lastBeat, listening: 0 },
  ])
  await app.stop()
  await database.drop()
})

it('reports who had been listening before a restart even if another node may be alive', async () => {
  const app = await startTestApp()
  const { name } = await app.restaurant()
  const [id, since] = [await app.idOf({ name }), app.now() - 7_200_000]
  await recordListeningChanges(app.ctx, [{ restaurantId: id, isListening: true, at: since }])
  await recordHeartbeat(app.ctx)
  const reported: [string, number][] = []
  await createListeningLog(app.ctx, { severalNodes: true }, (...spell) => reported.push(spell)).stop()
  expect(reported).toEqual([[id, since]])
  // It is not known yet whether that has ended.
  expect(await noted(app, name)).toEqual([{ at: since, listening: 1 }])
  await app.stop()
})

it('records the same change only once', async () => {
  const app = await startTestApp()
  const { name } = await app.restaurant()
  const id = await app.idOf({ name })
  for (const isListening of [false, true, true, false, false])
    await recordListeningChanges(app.ctx, [{ restaurantId: id, isListening, at: app.now() }])
  expect((await noted(app, name)).map((row) => row.listening)).toEqual([1, 0])
  await app.stop()
})

it('records each change after the clock of the server was set back', async () => {
  const app = await startTestApp()
  const { name } = await app.restaurant()
  const id = await app.idOf({ name })
  const change = (isListening: boolean) =>
    recordListeningChanges(app.ctx, [{ restaurantId: id, isListening, at: app.now() }])
  await change(true)
  await change(false)
  await change(true)
  app.advance(-3_600_000)
  const since = app.now()
  for (const isListening of [true, false, true, false]) {
    app.advance(60_000)
    await change(isListening)
  }
  const rows = await noted(app, name)
  expect(rows.map((row) => row.listening)).toEqual([1, 0, 1, 0, 1, 0])
  expect(rows.slice(3).map(({ at }) => at - since)).toEqual([120_000, 180_000, 240_000])
  await app.stop()
})

it('records that nobody listens while the server is stopped and its clock is set back', async () => {
  const app = await startTestApp()
  const { name, device } = await app.restaurant()
  await listening(app, device)
  await willBe(app, name, [1])
  await app.pause()
  app.advance(-3_600_000)
  await app.start()
  await willBe(app, name, [1, 0])
  await listening(app, device)
  await willBe(app, name, [1, 0, 1])
  await app.stop()
})
