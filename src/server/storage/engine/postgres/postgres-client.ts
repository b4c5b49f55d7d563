import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import { type PostgresServers, readTimeline, serversAt } from './postgres-servers.ts'

/** A setting without a meaning, which poolers refuse or ignore. */
export const directMarker = 'tableside.direct=on'

type Callback = (error: Error | null) => void

/**
 * A connection to PostgreSQL; if the URL names several servers, to the one that takes writes. It never leads to a
 * standby, nor to a former primary: what that would answer may be outdated.
 */
export class PrimaryClient extends Client {
  #servers: PostgresServers
  #socket: Socket
  #isStandby = false

  constructor(config: ClientConfig = {}) {
    const servers = serversAt(config.connectionString ?? '')
    const socket = new Socket()
    const options = [servers.startOptions, config.options].filter(Boolean).join(' ')
    super({
      ...config,
      connectionString: servers.url,
      ...(options !== '' && { options }),
      stream: () => socket,
    })
    this.#servers = servers
    this.#socket = socket
    // PostgreSQL says so by itself when a connection begins.
    const connection: unknown = Reflect.get(this, 'connection')
    if (connection instanceof EventEmitter)
      connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
        if (parameterName === 'in_hot_standby') this.#isStandby = parameterValue === 'on'
      })
  }

  override connect(): Promise<this>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<this> | void {
    const connected = this.#connect()
    if (!callback) return connected
    connected.then(() => callback(null), callback)
  }

  /** At once, without a word to the server. What it was asked fails. */
  drop(): void {
    this.#socket.destroy()
  }

  async #connect(): Promise<this> {
    const server = this.#servers.areSeveral ? await this.#servers.find() : null
    const stopUsing = this.#servers.use(() => this.drop())
    this.once('end', stopUsing)
    this.on('error', () => server && this.#servers.lost(server))
    try {
      if (server) Object.assign(this, { host: server.host, port: server.port })
      await super.connect()
      if (this.#isStandby) throw new Error('This server is a standby, which only reads')
      if (server && !this.#servers.isPrimary(await readTimeline(this)))
        throw new Error('This server is no longer the primary')
    } catch (error) {
      stopUsing()
      if (server) this.#servers.lost(server)
      this.drop()
      throw error
    }
    return this
  }
}
