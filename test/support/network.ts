import { Server, Socket } from 'node:net'
import { recordComplaint } from './console.ts'

type Guard = {
  /** Addresses at which servers of the tests listen, as `host:port`. */
  allowed: Set<string>
  complain: (problem: string) => void
}

declare global {
  /** Outlives this module, which a worker loads again when it goes on with files of another environment. */
  var connectionGuard: Guard | undefined
}

/** Allows connections to a server at this URL. Servers in the test's own process are always allowed. */
export function allowConnections(url: string): void {
  const { hostname, port } = URL.parse(url) ?? {}
  if (hostname && port) globalThis.connectionGuard?.allowed.add(addressOf(hostname, port))
}

/** For a program that has nothing to do with the tests, whose port may have been a server's of theirs before. */
export function forbidConnections(url: string): void {
  const { hostname = '', port } = URL.parse(url) ?? {}
  globalThis.connectionGuard?.allowed.delete(addressOf(hostname, port))
}

/**
 * Makes tests fail if they connect to a server that no test started, so that they do not depend on what else runs on
 * the machine.
 */
export function guardConnections(): void {
  const earlier = globalThis.connectionGuard
  if (earlier) {
    earlier.complain = recordComplaint
    return
  }
  const guard: Guard = { allowed: new Set(), complain: recordComplaint }
  globalThis.connectionGuard = guard
  const listen = Object.getOwnPropertyDescriptor(Server.prototype, 'listen')?.value
  Server.prototype.listen = function (this: Server, ...options: unknown[]) {
    this.once('listening', () => {
      const address = this.address()
      if (typeof address === 'object' && address) guard.allowed.add(addressOf('localhost', address.port))
    })
    return Reflect.apply(listen, this, options)
  }
  const connect = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect')?.value
  Socket.prototype.connect = function (this: Socket, ...options: unknown[]) {
    const target = targetOf(options)
    const address = target && addressOf(target.host, target.port)
    if (address === null || guard.allowed.has(address)) return Reflect.apply(connect, this, options)
    const refuse = (): Error => {
      const problem = `A test connects to ${address}, where no test started a server`
      guard.complain(problem)
      return new Error(problem)
    }
    const { lookup } = target ?? {}
    if (target && lookup) {
      // The caller's own lookup may refuse the host before anything connects.
      target.lookup = (host, how, done) =>
        lookup(host, how, (error, ...found) => done(error ?? refuse(), ...found))
      return Reflect.apply(connect, this, options)
    }
    const error = refuse()
    // Asynchronously, as a real connection fails.
    setImmediate(() => this.destroy(error))
    return this
  }
}

type Lookup = (host: string, how: object, done: (error: Error | null, ...found: unknown[]) => void) => void
type Target = { host?: unknown; port: unknown; lookup?: Lookup }

/** The target of a `connect` call in any of its forms; `null` for the path of a pipe. */
function targetOf([first, second]: unknown[]): Target | null {
  // Node's own modules pass the arguments as one array.
  if (Array.isArray(first)) return targetOf(first)
  if (typeof first === 'object' && first !== null && 'port' in first) return first
  const isPort = typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first))
  return isPort ? { host: second, port: first } : null
}

function addressOf(host: unknown, port: unknown): string {
  const name = typeof host === 'string' ? host : 'localhost'
  return `${/^(localhost|127\..*|\[?::1\]?)$/.test(name) ? 'localhost' : name}:${String(port)}`
}
