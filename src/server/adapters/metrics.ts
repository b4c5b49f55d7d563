import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Answered, Metrics, Retried } from '../ports/monitoring.ts'

/** In seconds. */
const answerBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const attentionBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600]

const answered: readonly Answered[] = ['tap', 'guest', 'staff', 'page', 'live']
/** Refused because of what was asked, or failed through no fault of the caller. */
const outcomes = ['done', 'refused', 'failed'] as const
const retried: readonly Retried[] = ['transaction', 'bus', 'push', 'outside', 'payment']

const outcomeOf = (status: number): (typeof outcomes)[number] =>
  status < 400 ? 'done' : status < 500 ? 'refused' : 'failed'

/** Shorter than Prometheus waits for all figures: without the database the others are worth the more. In milliseconds. */
const readingTimeoutMs = 500

/** What is read when somebody asks for the figures. */
export type Readings = {
  sockets: () => number
  presence: () => { restaurants: number; listeners: number }
  queues: () => Promise<{ name: string; messages: number; overdueMs: number }[]>
  /** Null if the server makes no backups by itself. `ageSeconds` is null before the first. */
  backup: (() => Promise<{ ageSeconds: number | null; overdue: boolean }>) | null
}

/** The figures of one process, as they travel between the processes of a server. */
export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** `docs/monitoring.md` lists them all. Labels have few values: never a restaurant, a table or a person. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const counters = createCounters(registers)
  const readProcess = addProcessGauges(registers)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const loopDelay = new Gauge({
    name: 'tableside_event_loop_delay_p99_seconds',
    help: 'Delay of the event loop since it was last asked for, 99th percentile',
    aggregator: 'max',
    registers,
  })
  let readOthers = async (): Promise<void> => {}
  return {
    ...counters,
    /** What else belongs to the figures. */
    watch: (readings: Readings): void => {
      readOthers = addReadings(registers, readings)
    },
    read: async (): Promise<ProcessMetrics> => {
      readProcess()
      loopDelay.set(delay.percentile(99) / 1e9)
      delay.reset()
      await readOthers()
      return registry.getMetricsAsJSON()
    },
    stop: () => void delay.disable(),
  }
}

function createCounters(registers: Registry[]): Metrics {
  const answers = new Histogram({
    name: 'tableside_answer_seconds',
    help: 'How long answers took, by what was answered and how it ended',
    labelNames: ['to', 'outcome'],
    buckets: answerBuckets,
    registers,
  })
  const events = new Counter({
    name: 'tableside_request_events_total',
    help: 'What has happened to requests: created, asked again, accepted, completed, cancelled …',
    labelNames: ['kind'],
    registers,
  })
  const seen = new Histogram({
    name: 'tableside_tap_seen_seconds',
    help: 'From a tap until a screen of the crew has shown it',
    buckets: attentionBuckets,
    registers,
  })
  const commits = new Histogram({
    name: 'tableside_commit_seconds',
    help: 'How long the database took for a COMMIT',
    buckets: answerBuckets,
    registers,
  })
  const transactions = new Counter({
    name: 'tableside_transactions_total',
    help: 'Transactions that were committed; those that wait at the same time share a COMMIT',
    registers,
  })
  const bus = new Histogram({
    name: 'tableside_bus_seconds',
    help: 'How long signals took to the broker and back, sampled once a second',
    buckets: answerBuckets,
    registers,
  })
  const retries = new Counter({
    name: 'tableside_retries_total',
    help: 'What had to be tried again',
    labelNames: ['what'],
    registers,
  })
  // From 0 on: Prometheus misses the first increase of a series that begins with it.
  for (const to of answered) for (const outcome of outcomes) answers.zero({ to, outcome })
  for (const what of retried) retries.inc({ what }, 0)
  return {
    answered: (to, status, seconds) => answers.observe({ to, outcome: outcomeOf(status) }, seconds),
    happened: (kind) => events.inc({ kind }),
    tapSeen: (seconds) => seen.observe(seconds),
    committed: (count, seconds) => {
      transactions.inc(count)
      commits.observe(seconds)
    },
    busAnswered: (seconds) => bus.observe(seconds),
    retried: (what) => retries.inc({ what }),
  }
}

function addProcessGauges(registers: Registry[]): () => void {
  const memory = new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of all processes of this server',
    registers,
  })
  const uptime = new Gauge({
    name: 'process_uptime_seconds',
    help: 'How long this server has been running',
    aggregator: 'max',
    registers,
  })
  return () => {
    memory.set(process.memoryUsage.rss())
    uptime.set(process.uptime())
  }
}

/** Undefined without an answer. */
const inTime = <T>(reading: Promise<T>): Promise<T | undefined> =>
  Promise.race([reading.catch(() => undefined), setTimeout(readingTimeoutMs, undefined, { ref: false })])

/** All processes know the same presence and the same queues, so only sockets are added up. */
function addReadings(registers: Registry[], readings: Readings): () => Promise<void> {
  const sockets = new Gauge({ name: 'tableside_live_sockets', help: 'Open WebSockets', registers })
  const restaurants = new Gauge({
    name: 'tableside_listening_restaurants',
    help: 'Restaurants where anybody listens, on all nodes',
    aggregator: 'max',
    registers,
  })
  const listeners = new Gauge({
    name: 'tableside_listeners',
    help: 'Screens and sleeping phones of crews that listen, on all nodes',
    aggregator: 'max',
    registers,
  })
  const messages = new Gauge({
    name: 'tableside_queue_messages',
    help: 'Messages that are stored to be sent',
    labelNames: ['queue'],
    aggregator: 'max',
    registers,
  })
  const overdue = new Gauge({
    name: 'tableside_queue_overdue_seconds',
    help: 'How long the first of them has been due',
    labelNames: ['queue'],
    aggregator: 'max',
    registers,
  })
  const readBackup = readings.backup ? addBackupGauges(registers, readings.backup) : async () => {}
  return async () => {
    sockets.set(readings.sockets())
    const presence = readings.presence()
    restaurants.set(presence.restaurants)
    listeners.set(presence.listeners)
    const [queues = []] = await Promise.all([inTime(readings.queues()), readBackup()])
    messages.reset()
    overdue.reset()
    for (const { name, ...queue } of queues) {
      messages.set({ queue: name }, queue.messages)
      overdue.set({ queue: name }, queue.overdueMs / 1000)
    }
  }
}

function addBackupGauges(registers: Registry[], read: NonNullable<Readings['backup']>): () => Promise<void> {
  const age = new Gauge({
    name: 'tableside_backup_age_seconds',
    help: 'Age of the last whole backup',
    aggregator: 'max',
    registers,
  })
  const overdue = new Gauge({
    name: 'tableside_backup_overdue',
    help: '1 when the next backup should have been made long ago',
    aggregator: 'max',
    registers,
  })
  return async () => {
    const backup = await inTime(read())
    age.remove()
    overdue.remove()
    if (!backup) return
    if (backup.ageSeconds !== null) age.set(backup.ageSeconds)
    overdue.set(backup.overdue ? 1 : 0)
  }
}

/** The figures of the process above the workers. */
export async function readPrimary(workers: number): Promise<ProcessMetrics> {
  const registry = new Registry()
  const registers = [registry]
  addProcessGauges(registers)()
  new Gauge({ name: 'tableside_workers', help: 'Workers that serve', registers }).set(workers)
  return registry.getMetricsAsJSON()
}

/** The metrics of all processes of a server together, as Prometheus reads them. */
export const toPrometheus = (processes: ProcessMetrics[]): Promise<string> =>
  AggregatorRegistry.aggregate(processes).metrics()
