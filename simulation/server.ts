import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { createArgon2Passwords } from '../src/server/adapters/auth/argon2.ts'
import { createLogger } from '../src/server/adapters/pino-logger.ts'
import { type App, startApp } from '../src/server/app.ts'
import { readConfig } from '../src/server/config.ts'
import { openDatabase } from '../src/server/storage/engine/database.ts'
import { settled, untilSettled } from './event-loop.ts'
import type { PushService } from './push-service.ts'
import type { VirtualTime } from './virtual-time.ts'
import { createAgent, type Address } from './wire.ts'

/** A restarted server's ids begin in a new millisecond. */
const betweenMs = 10_000

/** The installation: one SQLite file at a time, and the server that runs on it. */
export class Server {
  #app: App | undefined
  #folder: string
  #files = 0
  #file: string
  #time: VirtualTime
  #agent = createAgent()
  #push: PushService
  #sender: ReturnType<PushService['open']> | undefined
  /** When it was started, latest last. */
  readonly starts: number[] = []
  kills = 0
  /** What the server logged as an error: there should be none. */
  readonly errors: string[] = []

  constructor(time: VirtualTime, push: PushService, folder: string, template: string) {
    this.#time = time
    this.#push = push
    this.#folder = mkdtempSync(join(folder, 'run-'))
    this.#file = this.#newFile()
    copyFileSync(template, this.#file)
  }

  get app(): App {
    if (!this.#app) throw new Error('The server does not run')
    return this.#app
  }

  get startedAt(): number {
    return this.starts.at(-1) ?? 0
  }

  get isRunning(): boolean {
    return this.#app !== undefined
  }

  get address(): Address {
    return { port: this.app.port, agent: this.#agent }
  }

  #newFile(): string {
    return join(this.#folder, `${++this.#files}.db`)
  }

  async start(): Promise<void> {
    this.#agent = createAgent()
    this.starts.push(this.#time.now())
    const config = readConfig({ PORT: '0', HOST: '127.0.0.1', GUEST_LIMITS: 'off', DEMO: 'off' })
    const log = createLogger(
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          const line = chunk.toString()
          if (line.includes('"level":"error"')) this.errors.push(line)
          done()
        },
      }),
    )
    this.#sender = this.#push.open()
    this.#app = await startApp(
      { ...config, databaseUrl: `file:${this.#file}` },
      {
        now: this.#time.now,
        log,
        push: this.#sender,
        passwords: createArgon2Passwords({ memoryCost: 64, timeCost: 1, parallelism: 1 }),
      },
    )
  }

  /** As a deploy stops it: what has begun is answered. */
  async stop(): Promise<void> {
    const before = this.#time.now()
    await untilSettled(this.app.close(), this.#time)
    this.#agent.destroy()
    this.#app = undefined
    this.#time.runNext(before + betweenMs - 1)
    this.#time.reset(before + betweenMs)
  }

  /** As a lost power supply stops it: what is in its file at this instant is all that the next one finds. */
  async kill(): Promise<void> {
    this.#agent.destroy()
    this.#sender?.abandon()
    this.kills++
    const next = this.#newFile()
    for (const suffix of ['', '-wal'])
      if (existsSync(this.#file + suffix)) copyFileSync(this.#file + suffix, next + suffix)
    const known = this.errors.length
    await this.stop()
    // Nobody hears what the dead one says.
    this.errors.length = known
    this.#file = next
  }

  async remove(): Promise<void> {
    if (this.#app) await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** An empty database with every table, from which each run begins. */
export async function createTemplate(folder: string): Promise<string> {
  const file = join(folder, 'template.db')
  const database = await openDatabase(`file:${file}`)
  await database.close()
  await settled()
  return file
}
