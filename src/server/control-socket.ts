import { rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import type { Log } from './core/ports.ts'
import type { ResetLink } from './core/accounts/reset-link.ts'
import { toFilePath } from './storage/engine/sqlite.ts'

/** What a system takes as a socket's path at most is 104 to 108 bytes. */
const maxPathBytes = 100
const maxRequestLength = 1_000
const timeoutMs = 10_000

const ResetLinkAnswer = v.variant('kind', [
  v.object({ kind: v.literal('made'), restaurantName: v.string(), link: v.string() }),
  v.object({ kind: v.literal('unknown') }),
  v.object({ kind: v.literal('several'), restaurantNames: v.array(v.string()) }),
])

/**
 * Beside the database file, which one process at a time can open; whoever may read that file may use it. There is
 * none on PostgreSQL, which the command opens itself, on Windows, and where the path would be too long.
 */
export function controlPath(databaseUrl: string): string | null {
  if (!databaseUrl.startsWith('file:') || process.platform === 'win32') return null
  const path = join(dirname(resolve(toFilePath(databaseUrl))), 'control.sock')
  return Buffer.byteLength(path) > maxPathBytes ? null : path
}

type ResetLinkHandler = (named: string) => Promise<ResetLink>

/** Takes a line that names a restaurant or an owner's address, and answers a link, until it is closed. */
export async function openControlSocket(
  path: string,
  answer: ResetLinkHandler,
  log: Log,
): Promise<() => Promise<void>> {
  const openSockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    openSockets.add(socket)
    socket.once('close', () => openSockets.delete(socket))
    // Whoever asked is gone.
    socket.on('error', () => socket.destroy())
    socket.setTimeout(timeoutMs, () => socket.destroy())
    void handleConnection(socket, answer, log)
  })
  // The server of this folder that was killed left its socket behind; another one that runs is ruled out by the lock.
  rmSync(path, { force: true })
  await listenForOwnerOnly(server, path)
  return async () => {
    for (const socket of openSockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  }
}

/** The path is bound at once, so nobody else can have connected before it is the owner's only. */
async function listenForOwnerOnly(server: Server, path: string): Promise<void> {
  const listening = new Promise<void>((done, failed) => {
    server.once('listening', done)
    server.once('error', failed)
  })
  const before = process.umask(0o177)
  try {
    server.listen(path)
  } finally {
    process.umask(before)
  }
  await listening
}

async function handleConnection(socket: Socket, answer: ResetLinkHandler, log: Log): Promise<void> {
  try {
    let named = ''
    socket.setEncoding('utf8')
    // The answer goes the other way of the same socket.
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      named += chunk
      if (named.length > maxRequestLength) return void socket.destroy()
    }
    socket.end(JSON.stringify(await answer(named)))
  } catch (error) {
    log.error({ error }, 'no link was made that sets a new password')
    socket.destroy()
  }
}

/** Nothing when no server listens there. */
export async function requestResetLink(path: string, named: string): Promise<ResetLink | undefined> {
  const socket = connect({ path, allowHalfOpen: true })
  try {
    await new Promise<void>((connected, failed) => {
      socket.once('connect', connected)
      socket.once('error', failed)
    })
  } catch {
    return undefined
  }
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error('The server does not answer')))
  socket.end(named)
  const answer = v.safeParse(v.pipe(v.string(), v.parseJson(), ResetLinkAnswer), await text(socket))
  if (!answer.success) throw new Error('The server made no link. Its log says why.')
  return answer.output
}
