import { setTimeout } from 'node:timers/promises'
import { Client, type ClientBase } from 'pg'
import { readParameter, serverUrls, withParameters } from './postgres-url.ts'

/** All in milliseconds. */
const askTimeoutMs = 2_000
/** How soon a server that vanished without a word is given up for the one that was promoted. */
const watchEveryMs = 3_000
const pauseAfterFailureMs = 100

type Server = { url: string; host: string; port: number }

/** Each promotion begins a new timeline: of two servers that take writes, the one with the lower number is outdated. */
type Primary = { server: Server; timeline: number }

/** `timeline` is null if it only reads. */
type Answer = { server: Server; timeline: number | null } | { server: Server; problem: string }

/** The servers of one `DATABASE_URL`, of which one takes writes. Others copy it, and may be promoted when it is lost. */
class PostgresServers {
  /** What `pg` is given; the host is replaced if there are several. */
  readonly url: string
  /** Settings of the URL for the start of each connection. */
  readonly startOptions: string | null
  #servers: Server[]
  #primary: Primary | null = null
  #latestTimeline = 0
  #looking: Promise<Server> | undefined
  /** How to drop each connection that is open or being opened. */
  #connections = new Set<() => void>()
  #watching: NodeJS.Timeout | undefined
  #onMoved: (server: string) => void = () => {}

  constructor(url: string) {
    this.startOptions = readParameter(url, 'options')
    this.#servers = serverUrls(withParameters(url, { options: null })).map((each) => {
      const { host, port } = new Client({ connectionString: each })
      return { url: each, host, port }
    })
    this.url = this.#servers[0]?.url ?? url
  }

  get areSeveral(): boolean {
    return this.#servers.length > 1
  }

  /** Calls back when another one was promoted. */
  onMoved(listener: (server: string) => void): void {
    this.#onMoved = listener
  }

  /** The one that takes writes. Rejects if none does. */
  find(): Promise<Server> {
    if (this.#primary) return Promise.resolve(this.#primary.server)
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  /** Whether a connection leads to the primary, and to no earlier one that is back. */
  isPrimary(timeline: number | null): boolean {
    return timeline !== null && timeline >= this.#latestTimeline
  }

  /** A connection to this server broke, or it is not what it was: the next one begins with another look. */
  lost({ url }: Server): void {
    if (this.#primary?.server.url === url) this.#primary = null
  }

  /** Watches the servers as long as connections are used. Returns what ends that for this one. */
  use(drop: () => void): () => void {
    this.#connections.add(drop)
    this.#watching ??= this.areSeveral ? this.#watch() : undefined
    return () => {
      this.#connections.delete(drop)
      if (this.#connections.size > 0) return
      clearInterval(this.#watching)
      this.#watching = undefined
    }
  }

  async #look(): Promise<Server> {
    const asked = this.#servers.map(ask)
    const found = (await this.#findPromoted(asked)) ?? latest(await Promise.all(asked))
    if (found && this.isPrimary(found.timeline)) return this.#adopt(found)
    const problems = (await Promise.all(asked)).map(describe)
    await setTimeout(pauseAfterFailureMs, undefined, { ref: false })
    throw new Error(`None of the servers takes writes: ${problems.join('; ')}`)
  }

  /** Takes the first that answers, without waiting for the others. At the start nothing tells which of two is outdated. */
  async #findPromoted(asked: Promise<Answer>[]): Promise<Primary | null> {
    const promoted = asked.map(async (answer) => {
      const found = toPrimary(await answer)
      if (found && this.#latestTimeline > 0 && found.timeline > this.#latestTimeline) return found
      throw new Error('Not promoted')
    })
    return Promise.any(promoted).catch(() => null)
  }

  #adopt(primary: Primary): Server {
    const { server, timeline } = primary
    const isPromoted = this.#latestTimeline > 0 && timeline > this.#latestTimeline
    this.#primary = primary
    this.#latestTimeline = timeline
    if (isPromoted) this.#onMoved(`${server.host}:${server.port}`)
    return server
  }

  #watch(): NodeJS.Timeout {
    let isAsking = false
    const check = async () => {
      if (isAsking) return
      isAsking = true
      const asked = this.#servers.map(ask)
      const promoted = await this.#findPromoted(asked)
      if (promoted || (await this.#isOutdated(asked))) {
        this.#primary = null
        if (promoted) this.#adopt(promoted)
        for (const drop of this.#connections) drop()
      }
      isAsking = false
    }
    return setInterval(() => void check(), watchEveryMs).unref()
  }

  /** Whether the server that is used says itself that it should not be. */
  async #isOutdated(asked: Promise<Answer>[]): Promise<boolean> {
    const answers = await Promise.all(asked)
    const own = answers.find(({ server }) => server.url === this.#primary?.server.url)
    return own !== undefined && 'timeline' in own && !this.isPrimary(own.timeline)
  }
}

export type { PostgresServers, Server }

const known = new Map<string, PostgresServers>()

/** What this process knows of them is shared by all its connections. */
export function serversAt(url: string): PostgresServers {
  const servers = known.get(url) ?? new PostgresServers(url)
  known.set(url, servers)
  return servers
}

async function ask(server: Server): Promise<Answer> {
  const client = new Client({
    connectionString: server.url,
    connectionTimeoutMillis: askTimeoutMs,
    query_timeout: askTimeoutMs,
    application_name: 'tableside-look',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ on: boolean }>(
      `select current_setting('default_transaction_read_only')::boolean as on`,
    )
    return { server, timeline: rows[0]?.on ? null : await readTimeline(client) }
  } catch (error) {
    return { server, problem: error instanceof Error ? error.message : String(error) }
  } finally {
    void client.end().catch(() => {})
  }
}

/** Null on a standby. */
export async function readTimeline(client: ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ timeline: number | null }>(`
    select case when not pg_is_in_recovery()
      then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`)
  return rows[0]?.timeline ?? null
}

const toPrimary = (answer: Answer): Primary | null =>
  'timeline' in answer && answer.timeline !== null
    ? { server: answer.server, timeline: answer.timeline }
    : null

const latest = (answers: Answer[]): Primary | null =>
  answers
    .map(toPrimary)
    .reduce((best, each) => (each && each.timeline > (best?.timeline ?? 0) ? each : best), null)

const describe = (answer: Answer): string => {
  const { host, port } = answer.server
  if ('problem' in answer) return `${host}:${port} ${answer.problem}`
  return `${host}:${port} ${answer.timeline === null ? 'only reads' : 'is outdated'}`
}
