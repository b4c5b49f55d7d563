import cluster from 'node:cluster'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { logEntries, recordingLog } from '../../../test/support/buses.ts'
import { Primary } from './primary.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tableside-primary-'))
  await writeFile(
    join(folder, 'worker.mjs'),
    `process.on('message', ({ kind }) => kind === 'stop' && process.exit())
    process.send({ kind: 'ready' })`,
  )
})
afterAll(() => rm(folder, { recursive: true }))

const forkIn = (cwd: string) =>
  cluster.setupPrimary({ exec: join(folder, 'worker.mjs'), execArgv: [], args: [], cwd })

const workerPids = () => Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? [])

it('the primary does not start when its first worker cannot be started at all', async () => {
  forkIn(join(folder, 'nowhere'))
  expect(await new Primary({ workers: 2, guestLimits: true }, recordingLog).start()).toBe(false)
})

it('tries again when the successor of a worker cannot be started at all', async () => {
  forkIn(folder)
  const primary = new Primary({ workers: 1, guestLimits: true }, recordingLog)
  expect(await primary.start()).toBe(true)
  const [first = 0] = workerPids()
  forkIn(join(folder, 'nowhere'))
  process.kill(first, 'SIGKILL')
  const message = 'a worker ended, so another takes its place'
  // It goes on trying.
  await expect
    .poll(() => logEntries.slice(0, 2))
    .toEqual([
      { level: 'warn', message, details: { worker: first, code: null, signal: 'SIGKILL' } },
      { level: 'warn', message, details: { worker: undefined, code: null, signal: null } },
    ])
  const ready = once(cluster, 'message')
  forkIn(folder)
  expect((await ready)[1]).toEqual({ kind: 'ready' })
  await primary.stop()
  logEntries.length = 0
})
