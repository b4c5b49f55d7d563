import { rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import type { Log } from './core/ports.ts'
import type { ResetLink } from './core/accounts/reset-link.ts'
import { toFilePath } from './storage/engine/sqlite.ts'

/** Operating systems limit a socket's path to 104 to 108 bytes. */
const maxPathBytes = 100
const maxRequestLength = 1_000
const timeoutMs = 10_000

const ResetLinkAnswer = v.variant('kind', [
  v.object({ kind: v.literal('made'), restaurantName: v.string(), link: v.string() }),
  v.object({ kind: v.literal('unknown') }),
  v.object({ kind: v.literal('several'), restaurantNames: v.array(v.string()) }),
])

/**
 * Next to the database file, which only one process can open; whoever may read that file may use the socket. There
 * is none for PostgreSQL, which the command opens itself, on Windows, and where the path would be too long.
 */
export function controlPath(databaseUrl: string): string | null {
  if (!databaseUrl.startsWith('file:') || process.platform === 'win32') return null
  const path = join(dirname(resolve(toFilePath(databaseUrl))), 'control.sock')
  return Buffer.byteLength(path) > maxPathBytes ? null : path
}

type ResetLinkHandler = (search: string) => Promise<ResetLink>

/** Answers a restaurant's name or an owner's address with a link. Returns a function that closes the socket. */
export async function openControlSocket(
  path: string,
  answer: ResetLinkHandler,
  log: Log,
): Promise<() => Promise<void>> {
  const openSockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    openSockets.add(socket)
    socket.once('close', () => openSockets.delete(socket))
    // The client has disconnected.
    socket.on('error', () => socket.destroy())
    socket.setTimeout(timeoutMs, () => socket.destroy())
    void handleConnection(socket, answer, log)
  })
  // A server that was killed left its socket behind; the lock rules out that another one is running.
  rmSync(path, { force: true })
  await listenForOwnerOnly(server, path)
  return async () => {
    for (const socket of openSockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  }
}

/** The umask applies as the path is bound, so at no moment can other users connect. */
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
    let search = ''
    socket.setEncoding('utf8')
    // The answer is sent through the same socket.
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      search += chunk
      if (search.length > maxRequestLength) return void socket.destroy()
    }
    socket.end(JSON.stringify(await answer(search)))
  } catch (error) {
    log.error({ error }, 'could not create a link to reset the password')
    socket.destroy()
  }
}

/** Undefined if no server is listening there. */
export async function requestResetLink(path: string, search: string): Promise<ResetLink | undefined> {
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
  socket.end(search)
  const answer = v.safeParse(v.pipe(v.string(), v.parseJson(), ResetLinkAnswer), await text(socket))
  if (!answer.success) throw new Error('The server made no link. Its log says why.')
  return answer.output
}
