import { Socket } from 'node:net'
import { Client } from 'pg'
import type { Bus, Log } from '../../core/ports.ts'
import { type Connection, withTimeout } from './reconnecting-connection.ts'
import { createBrokerBus } from './broker-bus.ts'

const channel = 'tableside'

/** PostgreSQL's limit is 8,000 bytes, of which the number before the text takes up to four. */
const maxPayloadBytes = 8000 - 4

const connectTimeoutMs = 5000

/** For several nodes without another service: their database carries the signals. */
export async function createPostgresBus(url: string, log: Log): Promise<Bus> {
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
        const { client, connection } = await connect(url, 'tableside-bus-sender', onLost)
        return {
          ...connection,
          // A transaction sends equal payloads only once, so each gets a number.
          send: (texts) =>
            client.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [
              channel,
              texts.map((text, index) => `${index}:${text}`),
            ]),
        }
      },
    },
    log,
  )
}

async function connect(
  url: string,
  name: string,
  onLost: (reason: unknown) => void,
  prepare: (client: Client) => Promise<void> = async () => {},
): Promise<{ client: Client; connection: Connection }> {
  const socket = new Socket()
  const client = new Client({
    connectionString: url,
    application_name: name,
    keepAlive: true,
    stream: () => socket,
  })
  client.on('error', onLost)
  client.on('end', () => onLost(new Error('the connection was ended')))
  const connection: Connection = {
    ping: () => client.query('select 1'),
    async end() {
      await withTimeout(1000, client.end()).catch(() => {})
      socket.destroy()
    },
  }
  try {
    await withTimeout(
      connectTimeoutMs,
      client.connect().then(() => prepare(client)),
    )
    return { client, connection }
  } catch (error) {
    socket.destroy()
    throw error
  }
}
