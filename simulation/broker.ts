import { createBrokerBus } from '../src/server/adapters/bus/broker-bus.ts'
import type { Bus } from '../src/server/ports/bus.ts'
import type { Log } from '../src/server/ports/monitoring.ts'
import { turn } from './event-loop.ts'
import type { VirtualTime } from './virtual-time.ts'
import { traffic } from './wire.ts'

/** A node tries to reach its broker again within this time. */
const reconnectedMs = 1_000

/** How many turns of the event loop a signal is on its way: until then it is lost with the node that sent it. */
const turnsOnTheWay = 3

type Connection = { node: object; onLost: (reason: unknown) => void; receive?: (text: string) => void }

/** Passes signals between the nodes: what one sends reaches all of them within a few turns of the event loop. */
export class SimulatedBroker {
  #connections = new Set<Connection>()
  #gone = new WeakSet<object>()
  #time: VirtualTime
  #isLost = false
  #troubledAt = Number.NEGATIVE_INFINITY

  constructor(time: VirtualTime) {
    this.#time = time
  }

  /** When a signal may last have been lost. */
  get troubledAt(): number {
    return this.#isLost ? this.#time.now() : this.#troubledAt
  }

  /** Nobody reaches it any more, and what was on its way is lost. */
  lose(): void {
    this.#isLost = true
    for (const { onLost } of this.#connections) onLost(new Error('The broker is gone'))
  }

  regain(): void {
    if (!this.#isLost) return
    this.#isLost = false
    this.#troubledAt = this.#time.now() + reconnectedMs
  }

  /** What this node sends from now on reaches nobody, nor does what is on its way, and it hears nothing. */
  forget(node: object): void {
    this.#gone.add(node)
    this.#troubledAt = this.#time.now()
  }

  /** A node's bus, with everything that the product does on its side. */
  async open(node: object, log: Log): Promise<Bus> {
    const connect = (connection: Connection) => {
      this.#refuseWhenLost(node)
      this.#connections.add(connection)
      return {
        ping: async () => this.#refuseWhenLost(node),
        end: async () => void this.#connections.delete(connection),
      }
    }
    return createBrokerBus(
      {
        name: 'the simulated broker',
        limit: 1_000_000,
        openReceiver: async (receive, onLost) => connect({ node, receive, onLost }),
        openSender: async (onLost) => ({
          ...connect({ node, onLost }),
          send: async (texts) => {
            this.#refuseWhenLost(node)
            traffic.count++
            void this.#deliver(node, texts)
          },
        }),
      },
      log,
      { busAnswered: () => {}, retried: () => {} },
    )
  }

  #refuseWhenLost(node: object): void {
    if (this.#isLost || this.#gone.has(node)) throw new Error('The broker is gone')
  }

  async #deliver(from: object, texts: readonly string[]): Promise<void> {
    for (let turns = 0; turns < turnsOnTheWay; turns++) await turn()
    if (this.#isLost || this.#gone.has(from)) return
    for (const { node, receive } of this.#connections)
      if (receive && !this.#gone.has(node)) for (const text of texts) receive(text)
    traffic.count++
  }
}
