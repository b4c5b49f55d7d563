import type { Bus } from '../../ports/bus.ts'
import type { Log } from '../../ports/monitoring.ts'
import { PrimaryClient } from '../../storage/engine/postgres/postgres-client.ts'
import { type BusMetrics, createBrokerBus } from './broker-bus.ts'
import { type Connection, withTimeout } from './reconnecting-connection.ts'

const channel = 'tableside'

/** PostgreSQL's limit is 8,000 bytes, of which the number before the text takes up to four. */
const maxPayloadBytes = 8000 - 4

const connectTimeoutMs = 5000

/** For several nodes without another service: their database carries the signals. */
export async function createPostgresBus(url: string, log: Log, metrics: BusMetrics): Promise<Bus> {
  return createBrokerBus(
    {
      name: 'PostgreSQL',
      limit: maxPayloadBytes,
      async openReceiver(receive, onLost) {
        const { connection } = await connect(url, 'tableside-bus-receiver', onLost, async (client) => {
          client.on('notification', ({ payload = '' }) => receive(payload.slice(payload.indexOf(':') + 1)))
          await client.query(`listen ${channel}`)
        })
        return connection
      },
      async openSender(onLost) {
        // A signal need not be on the disk: after a crash of the database nobody has missed it.
        const { client, connection } = await connect(url, 'tableside-bus-sender', onLost, async (client) => {
          await client.query('set synchronous_commit = off')
        })
        return {
          ...connection,
          // A transaction sends equal payloads only once, so each gets a number.
          send: (texts) =>
            client.query({
              name: 'notify',
              text: 'select pg_notify($1, payload) from unnest($2::text[]) as payload',
              values: [channel, texts.map((text, index) => `${index}:${text}`)],
            }),
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
  prepare: (client: PrimaryClient) => Promise<void> = async () => {},
): Promise<{ client: PrimaryClient; connection: Connection }> {
  const client = new PrimaryClient({ connectionString: url, application_name: name, keepAlive: true })
  client.on('error', onLost)
  client.on('end', () => onLost(new Error('the connection was ended')))
  const connection: Connection = {
    ping: () => client.query('select 1'),
    async end() {
      await withTimeout(1000, client.end()).catch(() => {})
      client.drop()
    },
  }
  try {
    await withTimeout(
      connectTimeoutMs,
      client.connect().then(() => prepare(client)),
    )
    return { client, connection }
  } catch (error) {
    client.drop()
    throw error
  }
}
