import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../src/server/app.ts'
import { openDatabase } from '../src/server/storage/engine/database.ts'
import type { Database } from '../src/server/storage/engine/types.ts'
import { SimulatedBroker } from './broker.ts'
import { settled, untilSettled } from './event-loop.ts'
import { type Node, startNode } from './node.ts'
import type { PushService } from './push-service.ts'
import type { VirtualTime } from './virtual-time.ts'
import type { Address } from './wire.ts'

/** A restarted node's ids begin in a new millisecond. */
export const betweenMs = 10_000

/** A node that is silent for 12 seconds counts as gone, with the next look. */
const forgottenMs = 12_500

/** The installation: one SQLite file at a time, and the node that runs on it, or the several that share it. */
export class Server {
  readonly nodeCount: number
  readonly broker: SimulatedBroker
  /** Each at its place; null while it does not run. */
  #nodes: (Node | null)[]
  #database: Database | undefined
  #folder: string
  #files = 0
  #file: string
  #time: VirtualTime
  #push: PushService
  /** When it was started while no node ran, latest last. */
  readonly starts: number[] = []
  /** When a node was last killed, or stopped unheard, that others went on without. */
  #leftAloneAt = Number.NEGATIVE_INFINITY
  kills = 0
  /** What its nodes logged as errors: there should be none. */
  readonly errors: string[] = []

  constructor(time: VirtualTime, push: PushService, folder: string, template: string, nodeCount = 1) {
    this.#time = time
    this.#push = push
    this.nodeCount = nodeCount
    this.#nodes = Array.from({ length: nodeCount }, () => null)
    this.broker = new SimulatedBroker(time)
    this.#folder = mkdtempSync(join(folder, 'run-'))
    this.#file = this.#newFile()
    copyFileSync(template, this.#file)
  }

  get #running(): Node[] {
    return this.#nodes.filter((node) => node !== null)
  }

  get apps(): App[] {
    return this.#running.map(({ app }) => app)
  }

  get app(): App {
    const [app] = this.apps
    if (!app) throw new Error('The server does not run')
    return app
  }

  get startedAt(): number {
    return this.starts.at(-1) ?? 0
  }

  get isRunning(): boolean {
    return this.#running.length > 0
  }

  /** When the others may last have missed what a node did. */
  get troubledAt(): number {
    return Math.max(this.broker.troubledAt, this.#leftAloneAt)
  }

  /** Since when each node can know which screens there are: a killed one is counted until it has been silent for long. */
  get countsAt(): number {
    return Math.max(this.broker.troubledAt, this.#leftAloneAt + forgottenMs)
  }

  /** A balancer keeps each browser at a place, as long as a node runs there. */
  addressFor(place: number): Address {
    const node = this.#nodes[place % this.nodeCount] ?? this.#running[place % this.#running.length]
    if (!node) throw new Error('The server does not run')
    return node.address
  }

  /** Null while no node runs there. */
  nodeAt(place: number): Address | null {
    return this.#nodes[place]?.address ?? null
  }

  async whenIdle(): Promise<void> {
    await Promise.all(this.apps.map((app) => app.whenIdle()))
  }

  #newFile(): string {
    return join(this.#folder, `${++this.#files}.db`)
  }

  /** Every node that does not run. */
  async start(): Promise<void> {
    const databaseUrl = `file:${this.#file}`
    if (!this.isRunning) this.starts.push(this.#time.now())
    if (this.nodeCount > 1) this.#database ??= await openDatabase(databaseUrl)
    const shared = this.#database ? { database: this.#database, broker: this.broker } : null
    const onError = (line: string) => void this.errors.push(line)
    for (const [place, node] of this.#nodes.entries())
      this.#nodes[place] =
        node ?? (await startNode({ time: this.#time, push: this.#push, databaseUrl, shared, onError }))
  }

  /** As a deploy stops it: what has begun is answered. */
  async stop(place = 0): Promise<void> {
    const node = this.#nodes[place]
    if (!node) return
    const before = this.#time.now()
    this.#nodes[place] = null
    await untilSettled(node.close(), this.#time)
    // Without a broker nobody hears that it stops: to the others it is as one that was killed.
    if (this.broker.troubledAt >= before) this.#leftAloneAt = this.#time.now()
    if (this.isRunning) return
    this.#time.runNext(before + betweenMs - 1)
    this.#time.reset(before + betweenMs)
  }

  /** As a lost power supply stops it: what is in its file at this instant is all that the next one finds. */
  async kill(place = 0): Promise<void> {
    const node = this.#nodes[place]
    if (!node) return
    this.kills++
    if (this.#running.length > 1) {
      node.die()
      this.#leftAloneAt = this.#time.now()
    } else {
      const next = this.#newFile()
      for (const suffix of ['', '-wal'])
        if (existsSync(this.#file + suffix)) copyFileSync(this.#file + suffix, next + suffix)
      node.die()
      this.#file = next
    }
    await this.stop(place)
  }

  async remove(): Promise<void> {
    for (const place of this.#nodes.keys()) await this.stop(place)
    await this.#database?.close()
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
