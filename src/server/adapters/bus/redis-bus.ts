import { createClient, type RedisClientType } from 'redis'
import type { Bus } from '../../ports/bus.ts'
import type { Log } from '../../ports/monitoring.ts'
import { type BusMetrics, createBrokerBus } from './broker-bus.ts'
import { type Connection, withTimeout } from './reconnecting-connection.ts'

const connectTimeoutMs = 5000

/** Redis or Valkey carries the signals and stores none of them. */
export async function createRedisBus(url: string, log: Log, metrics: BusMetrics): Promise<Bus> {
  // All databases of one server share their channels; the database's number keeps installations apart.
  const channel = `tableside${new URL(url).pathname}`
  return createBrokerBus(
    {
      name: 'Redis',
      limit: Number.POSITIVE_INFINITY,
      async openReceiver(receive, onLost) {
        const { connection } = await connect(url, 'tableside-bus-receiver', onLost, (client) =>
          client.subscribe(channel, receive),
        )
        return connection
      },
      async openSender(onLost) {
        const { client, connection } = await connect(url, 'tableside-bus-sender', onLost)
        return {
          ...connection,
          send: (texts) => Promise.all(texts.map((text) => client.publish(channel, text))),
        }
      },
    },
    log,
    metrics,
  )
}

async function connect(
  url: string,
  name: string,
  onLost: (reason: unknown) => void,
  prepare: (client: RedisClientType) => Promise<void> = async () => {},
): Promise<{ client: RedisClientType; connection: Connection }> {
  const client: RedisClientType = createClient({ url, name, socket: { reconnectStrategy: false } })
  client.on('error', onLost)
  client.on('end', () => onLost(new Error('the connection was ended')))
  try {
    await withTimeout(
      connectTimeoutMs,
      client.connect().then(() => prepare(client)),
    )
  } catch (error) {
    client.destroy()
    throw error
  }
  return { client, connection: { ping: () => client.ping(), end: async () => client.destroy() } }
}
