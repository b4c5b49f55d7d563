import { Server, Socket } from 'node:net'
import { recordComplaint } from './console.ts'

/** Addresses at which servers of the tests listen, as `host:port`. */
const allowed = new Set<string>()
let isGuarded = false

/** Whoever listens at this URL belongs to the tests. What listens in a test's own process does anyway. */
export function allowConnections(url: string): void {
  const { hostname, port } = URL.parse(url) ?? {}
  if (hostname && port) allowed.add(addressOf(hostname, port))
}

/**
 * From now on a test that connects to a server which no test started fails, so that nothing depends on what else runs
 * on the machine.
 */
export function guardConnections(): void {
  if (isGuarded) return
  isGuarded = true
  const listen = Object.getOwnPropertyDescriptor(Server.prototype, 'listen')?.value
  Server.prototype.listen = function (this: Server, ...options: unknown[]) {
    this.once('listening', () => {
      const address = this.address()
      if (typeof address === 'object' && address) allowed.add(addressOf('localhost', address.port))
    })
    return Reflect.apply(listen, this, options)
  }
  const connect = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect')?.value
  Socket.prototype.connect = function (this: Socket, ...options: unknown[]) {
    const target = targetOf(options)
    const address = target && addressOf(target.host, target.port)
    if (address === null || allowed.has(address)) return Reflect.apply(connect, this, options)
    const refuse = (): Error => {
      const problem = `A test connects to ${address}, where no test started a server`
      recordComplaint(problem)
      return new Error(problem)
    }
    const { lookup } = target ?? {}
    if (target && lookup) {
      // The caller's own look-up may refuse the host before anything connects.
      target.lookup = (host, how, done) =>
        lookup(host, how, (error, ...found) => done(error ?? refuse(), ...found))
      return Reflect.apply(connect, this, options)
    }
    const error = refuse()
    // As late as a real connection fails.
    setImmediate(() => this.destroy(error))
    return this
  }
}

type Lookup = (host: string, how: object, done: (error: Error | null, ...found: unknown[]) => void) => void
type Target = { host?: unknown; port: unknown; lookup?: Lookup }

/** Where `connect` was told to go, by any of its forms; `null` for a path, as pipes have. */
function targetOf([first, second]: unknown[]): Target | null {
  // Node's own modules pass the arguments on as one array.
  if (Array.isArray(first)) return targetOf(first)
  if (typeof first === 'object' && first !== null && 'port' in first) return first
  const isPort = typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first))
  return isPort ? { host: second, port: first } : null
}

function addressOf(host: unknown, port: unknown): string {
  const name = typeof host === 'string' ? host : 'localhost'
  return `${/^(localhost|127\..*|\[?::1\]?)$/.test(name) ? 'localhost' : name}:${String(port)}`
}
