import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect } from 'vitest'
import { WebSocket } from 'ws'
import type { Reply, Route, CallInput } from '#contract/api.ts'
import { api } from '#contract/api.ts'
import type { MessageOf, ClientMessageInput, ServerMessage } from '#contract/live.ts'
import { createArgon2Passwords } from '../../src/server/adapters/auth/argon2.ts'
import { createLogger } from '../../src/server/adapters/pino-logger.ts'
import {
  type AllCatalogues,
  type App,
  type AppOverrides,
  readAllCatalogues,
  startApp,
} from '../../src/server/app.ts'
import { type Config, readConfig } from '../../src/server/config.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { exchange } from './exchange.ts'
import { freePort } from './ports.ts'

export const password = 'copper-lantern-42'

export type TestAppOptions = Partial<Config> &
  Pick<AppOverrides, 'pushService' | 'requestTimeouts'> & {
    /** Whether scheduled tasks run by themselves, as in production, or only when the test runs them. */
    scheduler?: 'real' | 'manual'
    /** The machine's, as pages have it; or one that stands still, since the test began or at noon of a day long ago. */
    clock?: 'running' | 'still' | 'noon'
  }

/** Far from midnight, from the end of a month, and from the days on which clocks change. */
const noon = Date.parse('2025-06-11T12:00:00Z')

/** Read once per process: each server that reads them needs a twelfth of its test's processor time for that. */
let ownCatalogues: AllCatalogues | undefined

export type TestApp = ReturnType<typeof createTestApp>

/** A server that runs while the tests of a file do. */
export function setUpApp(options?: TestAppOptions): TestApp {
  const app = createTestApp(options)
  beforeAll(() => app.start())
  afterAll(() => app.stop())
  return app
}

/** A server that the test stops. */
export async function startTestApp(options?: TestAppOptions): Promise<TestApp> {
  const app = createTestApp(options)
  await app.start()
  return app
}

/** Pages have the machine's clock, and take what is old to be old. */
function servesPages(): boolean {
  return typeof document !== 'undefined' || /\/test\/(?:e2e|proofs)\//u.test(expect.getState().testPath ?? '')
}

/**
 * A complete server on a fresh database and its own port. Nothing happens as time passes: it is noon until the test
 * advances the clock, and scheduled tasks run when the test runs them. Only servers of pages are as in production.
 */
function createTestApp({
  pushService,
  scheduler = servesPages() ? 'real' : 'manual',
  clock = scheduler === 'real' || servesPages() ? 'running' : 'noon',
  requestTimeouts,
  ...options
}: TestAppOptions = {}) {
  let database: TestDatabase | undefined
  let config: Config | undefined
  let app: App | undefined
  const createdAt = clock === 'noon' ? noon : Date.now()
  let offset = 0
  const now = (): number => (clock === 'running' ? Date.now() : createdAt) + offset
  const logLines: string[] = []
  const log = createLogger(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        logLines.push(chunk.toString())
        done()
      },
    }),
  )
  const browsers: TestBrowser[] = []
  let names = 0

  const configure = async (): Promise<Config> => {
    if (options.databaseUrl === undefined) database = await freshDatabase()
    // A server behind another address never restarts, so the system may choose its port.
    const port = options.publicUrl === undefined ? await freePort() : 0
    return { ...readConfig({ PORT: String(port) }), databaseUrl: database?.url ?? '', ...options }
  }

  const running = (): App => {
    if (!app) throw new Error('The server is not running yet')
    return app
  }

  const browser = (): TestBrowser => {
    const created = new TestBrowser(() => running().url)
    browsers.push(created)
    return created
  }

  return {
    get url() {
      return running().url
    },
    get ctx() {
      return running().ctx
    },
    get port() {
      return running().port
    },
    /** Waits until the server does nothing in the background. */
    whenIdle: () => running().whenIdle(),
    /** What the server logged, as JSON lines. */
    lines: logLines,
    now,
    advance(ms: number) {
      offset += ms
    },
    browser,
    /** A guest's, which has an id since it opened a page. */
    async phone(): Promise<TestBrowser> {
      const phone = browser()
      await phone.fetch('/customer')
      return phone
    },
    /** Resets the limit of sign-ups, because a test creates more restaurants than one address may. */
    async forgetNewNames() {
      await running().ctx.limits.clear('new-name-all', '')
      for (const address of ['127.0.0.1', '0:0:0:0::/64', 'local'])
        for (const limit of ['new-name-hour', 'new-name-day'] as const)
          await running().ctx.limits.clear(limit, address)
    },
    /** A new restaurant, its owner's browser, and one of its devices. */
    async restaurant(given: { name?: string; tables?: string[] } = {}) {
      const name = given.name ?? `Blue Door ${++names}`
      const owner = browser()
      await this.forgetNewNames()
      await owner.ok(api.accounts.signUp, {
        body: { restaurantName: name, email: 'owner@example.com', password, timeZone: 'UTC' },
      })
      if (given.tables) {
        await owner.ok(api.floor.setUp, { body: { setupType: 'custom', customTables: given.tables } })
      }
      const device = browser()
      await device.ok(api.accounts.restaurantLogin, { body: { restaurantName: name, password } })
      return { name, owner, device }
    },
    /** A restaurant's internal id, which no call reveals. */
    async idOf({ name }: { name: string }): Promise<string> {
      const query = running().ctx.db.reader.selectFrom('restaurant').select('id').where('name', '=', name)
      return (await query.executeTakeFirstOrThrow()).id
    },
    async start() {
      config ??= await configure()
      // The ids that a server gives out are in order, but not with those of another in the same millisecond.
      if (app && clock !== 'running') offset += 1
      app = await startApp(config, {
        now,
        passwords: createArgon2Passwords({ memoryCost: 64, timeCost: 1, parallelism: 1 }),
        log,
        ...(config.catalogues === null && { catalogues: (ownCatalogues ??= readAllCatalogues(config)) }),
        ...(pushService && { pushService }),
        ...(scheduler === 'manual' && { scheduler }),
        ...(requestTimeouts && { requestTimeouts }),
      })
    },
    /** Until `start`, which runs the same installation on the same port. */
    async pause() {
      await running().close()
    },
    async restart() {
      await this.pause()
      await this.start()
    },
    async stop() {
      for (const opened of browsers) opened.close()
      await app?.close()
      await database?.drop()
      const errors = logLines.filter((line) => line.includes('"level":"error"'))
      expect(errors, 'the server logged errors').toEqual([])
    },
  }
}

export type TestResponse<T> = { status: number; body: T; headers: Headers }

/** One browser: its cookies, its sockets, and fetches as one of our pages would send them. */
export class TestBrowser {
  readonly cookies = new Map<string, string>()
  #url: () => string
  #sockets: TestSocket[] = []

  constructor(url: () => string) {
    this.#url = url
  }

  /** The same browser, whose calls another node answers. */
  sentTo(node: { readonly url: string }): TestBrowser {
    const browser = new TestBrowser(() => node.url)
    for (const [name, value] of this.cookies) browser.cookies.set(name, value)
    return browser
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(this.#headers)
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    const response = await fetch(this.#url() + path, { redirect: 'manual', ...init, headers })
    this.#keepCookies(response.headers)
    return response
  }

  get #headers(): Record<string, string> {
    return {
      origin: this.#url(),
      'sec-fetch-site': 'same-origin',
      ...(this.cookies.size > 0 && { cookie: this.cookieHeader }),
    }
  }

  #keepCookies(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split('; ')
      const at = pair.indexOf('=')
      if (attributes.includes('Max-Age=0')) this.cookies.delete(pair.slice(0, at))
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
  }

  /** Sends anything at all, as a malicious client might. */
  async send(method: string, path: string, body?: unknown): Promise<TestResponse<unknown>> {
    const { status, headers, text } = await exchange(this.#url() + path, {
      method,
      headers: { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    })
    this.#keepCookies(headers)
    const isJson = headers.get('content-type')?.includes('json') ?? false
    return { status, body: isJson ? JSON.parse(text) : text, headers }
  }

  async call<R extends Route>(route: R, input: CallInput<R>): Promise<TestResponse<Reply<R>>> {
    const {
      params = {},
      query = {},
      body,
    } = input as {
      params?: Record<string, string>
      query?: Record<string, string>
      body?: unknown
    }
    const path = Object.entries(params).reduce<string>(
      (url, [name, value]) => url.replace(`:${name}`, encodeURIComponent(value)),
      route.path,
    )
    const search = new URLSearchParams(query).toString()
    return (await this.send(route.method, search ? `${path}?${search}` : path, body)) as TestResponse<
      Reply<R>
    >
  }

  /** The answer to a call that must succeed. */
  async ok<R extends Route>(route: R, input: CallInput<R>): Promise<Reply<R>> {
    const { status, body } = await this.call(route, input)
    if (status >= 300) throw new Error(`${route.method} ${route.path}: ${status} ${JSON.stringify(body)}`)
    return body
  }

  async connect(headers: Record<string, string> = {}): Promise<TestSocket> {
    const socket = new TestSocket(`${this.#url().replace('http', 'ws')}/ws`, {
      origin: this.#url(),
      ...(this.cookies.size > 0 && { cookie: this.cookieHeader }),
      ...headers,
    })
    this.#sockets.push(socket)
    await socket.opened
    return socket
  }

  close(): void {
    for (const socket of this.#sockets) socket.close()
  }
}

/** The client's end of a live channel; reads messages in order, or waits for them. */
export class TestSocket {
  readonly received: ServerMessage[] = []
  readonly opened: Promise<void>
  readonly closed: Promise<number>
  /** What the server said with the code. */
  closeReason: string | undefined
  #socket: WebSocket
  #read = 0
  #refs = 0
  #wake: (() => void)[] = []

  constructor(url: string, headers: Record<string, string>) {
    this.#socket = new WebSocket(url, { headers })
    this.opened = new Promise((resolve, reject) => {
      this.#socket.once('open', () => resolve())
      this.#socket.once('error', reject)
    })
    this.closed = new Promise((resolve) => {
      this.#socket.once('close', (code, reason) => {
        this.closeReason = reason.toString()
        resolve(code)
        for (const wake of this.#wake.splice(0)) wake()
      })
    })
    this.#socket.on('message', (data) => {
      if (Buffer.isBuffer(data)) this.received.push(JSON.parse(data.toString()))
      for (const wake of this.#wake.splice(0)) wake()
    })
  }

  send(message: ClientMessageInput): void {
    this.#socket.send(JSON.stringify(message))
  }

  sendRaw(text: string | Buffer): void {
    this.#socket.send(text)
  }

  /** The next unread message of this type; others before it are skipped. */
  async next<T extends ServerMessage['type']>(type: T): Promise<MessageOf<ServerMessage, T>> {
    for (;;) {
      const message = this.received[this.#read]
      if (message) {
        this.#read++
        if (isOf(message, type)) return message
      } else await this.#nextMessage(type)
    }
  }

  /** Sends with a ref and waits for its answer, wherever it comes among the rest. */
  async request(message: ClientMessageInput): Promise<MessageOf<ServerMessage, 'ack' | 'error'>> {
    const ref = `r${++this.#refs}`
    this.send({ ...message, ref })
    for (;;) {
      const answer = this.received.find(
        (message) => (message.type === 'ack' || message.type === 'error') && message.ref === ref,
      )
      if (answer?.type === 'ack' || answer?.type === 'error') return answer
      await this.#nextMessage(message.type)
    }
  }

  /** Waits for one more message. */
  nextAny(): Promise<void> {
    return this.#nextMessage('anything')
  }

  ofType<T extends ServerMessage['type']>(type: T): MessageOf<ServerMessage, T>[] {
    return this.received.filter((message) => isOf(message, type))
  }

  close(): void {
    if (this.#socket.isPaused) this.#socket.terminate()
    else this.#socket.close()
  }

  /** Like a phone that lost its network: it silently stops answering. */
  freeze(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  async #nextMessage(what: string): Promise<void> {
    if (this.#socket.readyState >= WebSocket.CLOSING)
      throw new Error(`the socket closed while waiting for ${what}`)
    await new Promise<void>((resolve) => this.#wake.push(resolve))
  }
}

function isOf<T extends ServerMessage['type']>(
  message: ServerMessage,
  type: T,
): message is MessageOf<ServerMessage, T> {
  return message.type === type
}
