import { rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import type { ResetLink } from './core/accounts/recovery/reset-link.ts'
import type { Erasure } from './core/accounts/restaurants/erasure.ts'
import type { Log } from './ports/monitoring.ts'
import { toFilePath } from './storage/engine/sqlite/sqlite.ts'

/** Operating systems limit a socket's path to 104 to 108 bytes. */
const maxPathBytes = 100
const maxRequestLength = 2_000
/** For everything but the erasure of a restaurant, which takes as long as its rows do. */
const patienceMs = 10_000

/** The running server could not do what the command line asked for. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
}

/** What the server answers to each command of the command line. */
type Answers = {
  status: { url: string; pid: number }
  'reset-password': ResetLink
  /** By name. */
  erase: Erasure
}
type CommandName = keyof Answers

const answerSchemas: { [K in CommandName]: v.GenericSchema<unknown, Answers[K]> } = {
  status: v.object({ url: v.string(), pid: v.number() }),
  'reset-password': v.variant('kind', [
    v.object({ kind: v.literal('made'), restaurantName: v.string(), link: v.string() }),
    v.object({ kind: v.literal('unknown') }),
    v.object({ kind: v.literal('several'), restaurantNames: v.array(v.string()) }),
  ]),
  erase: v.variant('kind', [
    v.object({
      kind: v.literal('erased'),
      restaurantName: v.string(),
      createdAt: v.number(),
      rows: v.record(v.string(), v.number()),
      receivers: v.array(v.object({ kind: v.string(), address: v.string(), lastAt: v.nullable(v.number()) })),
      customerId: v.nullable(v.string()),
    }),
    v.object({ kind: v.literal('unknown') }),
    v.object({ kind: v.literal('charged') }),
  ]),
}

const Request = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    command: v.picklist(['status', 'reset-password', 'erase'] satisfies CommandName[]),
    about: v.string(),
  }),
)

/** `about`: whom or what the command names. */
export type ControlHandlers = { [K in CommandName]: (about: string) => Promise<Answers[K]> }

/**
 * Next to the database file, which only one process can open; whoever may read that file may use the socket. There
 * is none for PostgreSQL, which the command opens itself, on Windows, and where the path would be too long.
 */
export function controlPath(databaseUrl: string): string | null {
  if (!databaseUrl.startsWith('file:') || process.platform === 'win32') return null
  const path = join(dirname(resolve(toFilePath(databaseUrl))), 'control.sock')
  return Buffer.byteLength(path) > maxPathBytes ? null : path
}

/** Answers the command line. Returns a function that closes the socket once what was begun is answered. */
export async function openControlSocket(
  path: string,
  handlers: ControlHandlers,
  log: Log,
  { waitsMs = patienceMs } = {},
): Promise<() => Promise<void>> {
  const silentSockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    silentSockets.add(socket)
    socket.once('close', () => silentSockets.delete(socket))
    // The client has disconnected.
    socket.on('error', () => socket.destroy())
    socket.setTimeout(waitsMs, () => socket.destroy())
    void handleConnection(socket, handlers, log, () => {
      silentSockets.delete(socket)
      socket.setTimeout(0)
    })
  })
  // A server that was killed left its socket behind; the lock rules out that another one is running.
  rmSync(path, { force: true })
  await listenForOwnerOnly(server, path)
  return async () => {
    for (const socket of silentSockets) socket.destroy()
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

async function handleConnection(
  socket: Socket,
  handlers: ControlHandlers,
  log: Log,
  onRequest: () => void,
): Promise<void> {
  try {
    let received = ''
    socket.setEncoding('utf8')
    // The answer is sent through the same socket.
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      received += chunk
      if (received.length > maxRequestLength) return void socket.destroy()
    }
    const request = v.safeParse(Request, received)
    if (!request.success) return void socket.destroy()
    const { command, about } = request.output
    onRequest()
    socket.end(JSON.stringify(await handlers[command](about)))
  } catch (error) {
    log.error({ error }, 'a command of the command line failed')
    socket.destroy()
  }
}

/** Undefined if no server is listening there. */
export async function askServer<K extends CommandName>(
  path: string,
  command: K,
  about = '',
  { waitsMs = patienceMs } = {},
): Promise<Answers[K] | undefined> {
  const socket = connect({ path, allowHalfOpen: true })
  try {
    await new Promise<void>((connected, failed) => {
      socket.once('connect', connected)
      socket.once('error', failed)
    })
  } catch {
    return undefined
  }
  if (command !== 'erase')
    socket.setTimeout(waitsMs, () => socket.destroy(new ControlError('The running server does not answer')))
  socket.end(JSON.stringify({ command, about }))
  const schema: v.GenericSchema<unknown, Answers[K]> = answerSchemas[command]
  const answer = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), await text(socket))
  if (!answer.success)
    throw new ControlError('The running server did not say that it is done. Its log says why.')
  return answer.output
}
