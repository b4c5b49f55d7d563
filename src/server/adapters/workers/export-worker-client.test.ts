import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { setUpApp } from '../../../../test/support/app.ts'
import type { ExportService } from '../../ports/exports.ts'
import { createExportWorkerClient } from './export-worker-client.ts'

const app = setUpApp()

const open = (limits?: { limitMs: number }): ExportService => {
  const exports = createExportWorkerClient(app.ctx.db.url, app.ctx.log, limits)
  onTestFinished(() => exports.close())
  return exports
}

const write = (exports: ExportService, restaurantId: string) =>
  exports.write(
    { restaurantId, now: app.now() },
    { signal: new AbortController().signal, begun: async () => {} },
  )

it('a restaurant has one file at a time, until it is read or given up', async () => {
  const [first, other] = [await app.idOf(await app.restaurant()), await app.idOf(await app.restaurant())]
  const exports = open()
  const unread = await write(exports, first)
  await expect(write(exports, first)).rejects.toMatchObject({
    code: 'rate_limited',
    message:
      'Everything is being downloaded already. Please wait until that is done, or try again in 15 minutes.',
    retryAfter: 900,
  })
  const others = await write(exports, other)
  expect((await buffer(others.chunks)).length).toBe(others.bytes)
  expect((await buffer(unread.chunks)).length).toBe(unread.bytes)
  const next = await write(exports, first)
  next.chunks.destroy()
  await once(next.chunks, 'close')
  const last = await write(exports, first)
  expect((await buffer(last.chunks)).length).toBe(last.bytes)
})

it('a file that is read too slowly is cut off, and makes room for the next', async () => {
  const restaurantId = await app.idOf(await app.restaurant())
  const exports = open({ limitMs: 50 })
  const unread = await write(exports, restaurantId)
  await once(unread.chunks, 'close')
  expect(unread.chunks.readableEnded).toBe(false)
  const next = await write(exports, restaurantId)
  next.chunks.destroy()
  await once(next.chunks, 'close')
})
