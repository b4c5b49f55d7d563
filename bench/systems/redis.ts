import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../../test/support/ports.ts'
import type { Stops } from '../drills/drill.ts'

export type Redis = Awaited<ReturnType<typeof startRedis>>

/** A Redis of its own that may be killed. */
export async function startRedis(stops: Stops) {
  const port = await freePort()
  let server: ChildProcess
  const start = async () => {
    server = spawn('redis-server', ['--port', `${port}`, '--save', '', '--bind', '127.0.0.1'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const chunk of server.stdout ?? []) if (`${chunk}`.includes('Ready to accept')) break
  }
  const kill = async () => {
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  await start()
  stops.push(kill)
  return { url: `redis://127.0.0.1:${port}`, start, kill }
}
