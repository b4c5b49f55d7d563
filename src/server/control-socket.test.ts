import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { askServer, openControlSocket } from './control-socket.ts'

const log = { info() {}, warn() {}, error() {} }

/** A server that answers only when the test lets it. */
async function openHeld({ waitsMs }: { waitsMs: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'tableside-control-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'control.sock')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const hold = async <T>(answer: T): Promise<T> => {
    begin()
    await released
    return answer
  }
  const handlers = {
    status: () => hold({ url: 'http://localhost:3000', pid: 1 }),
    'reset-password': () => hold({ kind: 'unknown' as const }),
    erase: () => hold({ kind: 'unknown' as const }),
  }
  const close = await openControlSocket(path, handlers, log, { waitsMs })
  return { path, release, begun, close }
}

it('the command line waits for an erasure as long as it takes, and for nothing else', async () => {
  const { path, release, close } = await openHeld({ waitsMs: 50 })
  const erased = askServer(path, 'erase', 'Blue Door', { waitsMs: 50 })
  await expect(askServer(path, 'status', '', { waitsMs: 50 })).rejects.toThrow('does not answer')
  release()
  expect(await erased).toEqual({ kind: 'unknown' })
  await close()
})

it('a server that is told to stop answers what it has begun', async () => {
  const { path, release, begun, close } = await openHeld({ waitsMs: 10_000 })
  const erased = askServer(path, 'erase', 'Blue Door')
  await begun
  const closed = close()
  release()
  expect(await erased).toEqual({ kind: 'unknown' })
  await closed
})
