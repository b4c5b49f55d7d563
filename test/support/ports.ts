import { randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('This server listens on no port')
  return address.port
}

const firstPort = 20_000
const portsPerWorker = 500
const workers = 24

/** Outlives this module, which a worker loads again when it goes on with files of another environment. */
declare global {
  var nextTestPort: number | undefined
  var reservedTestPorts: Map<number, Socket> | undefined
}

/**
 * A free port on loopback, for a server that must know its port beforehand or restart on it. The system never assigns
 * ports of this range, each worker of a run has its own part of it, and takes the next every time: while a server
 * restarts, no other server of the tests can come to its port.
 */
export async function freePort(): Promise<number> {
  const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % workers
  for (;;) {
    const place = (globalThis.nextTestPort ?? randomInt(portsPerWorker)) % portsPerWorker
    globalThis.nextTestPort = place + 1
    const port = firstPort + worker * portsPerWorker + place
    if (!(await reserve(port))) continue
    const server = createServer().listen(port, 'localhost')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** The UDP port that stands for a port here lies below all of them: Caddy also takes the UDP port of its own. */
const reservationOffset = 15_000

/**
 * Two servers may share a port without noticing, and get the calls in turns, so a process that takes one keeps a port of
 * UDP that stands for it as long as it lives. False if another process has it, say of a second run.
 */
async function reserve(port: number): Promise<boolean> {
  const reserved = (globalThis.reservedTestPorts ??= new Map())
  if (reserved.has(port)) return true
  const socket = createSocket('udp4')
    .bind({ port: port - reservationOffset, address: '127.0.0.1', exclusive: true })
    .unref()
  const isOurs = await once(socket, 'listening').then(
    () => true,
    () => false,
  )
  if (isOurs) reserved.set(port, socket)
  return isOurs
}
