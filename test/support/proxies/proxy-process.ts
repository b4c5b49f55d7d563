import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { allowConnections } from '../network.ts'

export type ProxyProcess = { url: string; stop(): Promise<void> }

/** A proxy from Debian's package, once it listens at this URL. */
export async function startProxy(
  program: string,
  args: string[],
  { url, ...options }: SpawnOptions & { url: string },
): Promise<ProxyProcess> {
  const name = program.split('/').at(-1)
  if (!existsSync(program)) throw new Error(`Please install ${name}: apt-get install ${name}`)
  const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options })
  const ended = Promise.race([
    once(server, 'exit'),
    once(server, 'error').then(([error]) => Promise.reject(error)),
  ])
  ended.catch(() => {})
  allowConnections(url)
  while (!(await isListening(url))) {
    if (server.exitCode !== null) throw new Error(`${name} did not start`)
    await setTimeout(20)
  }
  return {
    url,
    async stop() {
      server.kill('SIGTERM')
      await ended
    },
  }
}

function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}
