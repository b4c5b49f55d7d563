import { createArgon2Passwords } from './adapters/auth/argon2.ts'
import { createWebAuthn } from './adapters/auth/webauthn.ts'
import { createMemoryBus } from './adapters/bus/memory-bus.ts'
import { createPostgresBus } from './adapters/bus/postgres-bus.ts'
import { createLimitGossip, joinServers } from './adapters/limit-gossip.ts'
import { createMailer } from './adapters/mailer.ts'
import { createOutbound } from './adapters/outbound/outbound.ts'
import {
  createWebPush,
  generatePushKeys,
  type PrivatePushService,
  type PushKeys,
} from './adapters/push/web-push.ts'
import { createSecrets } from './adapters/secrets.ts'
import { createUuidV7Generator } from './adapters/uuid-v7.ts'
import { createAnalyticsWorkerClient } from './adapters/workers/analytics-worker-client.ts'
import { createExportWorkerClient } from './adapters/workers/export-worker-client.ts'
import type { Config } from './config.ts'
import type { Ctx } from './core/ctx.ts'
import { createStoredLimits } from './core/limits/stored-limits.ts'
import { OutsideAlertSender } from './core/outside/sender.ts'
import { Pusher } from './core/push/pusher.ts'
import { ExpectedTimesCache } from './core/requests/escalation/expected-times.ts'
import { storeSightings } from './core/requests/sightings.ts'
import { Gatherer } from './core/tasks/gatherer.ts'
import { Semaphore } from './core/tasks/semaphore.ts'
import { TaskTracker } from './core/tasks/task-tracker.ts'
import { createPayments } from './create-payments.ts'
import { createSocketCounter } from './live/limits/socket-limits.ts'
import { PresenceRegistry } from './live/presence/registry.ts'
import type { Bus } from './ports/bus.ts'
import type { Log, Metrics } from './ports/monitoring.ts'
import type { PushSender } from './ports/push.ts'
import { openDatabase } from './storage/engine/database.ts'
import { isOutage } from './storage/engine/errors.ts'
import { serversAt } from './storage/engine/postgres/postgres-servers.ts'
import type { Database } from './storage/engine/types.ts'
import * as settings from './storage/settings.ts'
import type { SharedByWorkers } from './workers/connection-to-primary.ts'

/** Screens show a new request nearly at the same time, and its guest waits for "Seen by the crew"; in milliseconds. */
const sightingsWindowMs = 100

/** What tests replace. */
export type CtxOverrides = {
  now?: () => number
  passwords?: Ctx['passwords']
  database?: Database
  /** To other nodes that share the database. */
  bus?: Bus
  pushService?: PrivatePushService
  push?: PushSender
  analytics?: Ctx['analytics']
  /** Set in a worker: what it shares with the others. */
  shared?: SharedByWorkers
}

/** The connections of one node, of which several may share a PostgreSQL that allows about a hundred. */
const maxConnections = ({ workers }: Config): number => Math.min(10, Math.max(3, Math.floor(40 / workers)))

/** Chooses the adapters that the configuration asks for, and opens the database. */
export async function createCtx(
  config: Config,
  { log, metrics, trace, guestCatalogues }: Pick<Ctx, 'log' | 'metrics' | 'trace' | 'guestCatalogues'>,
  overrides: CtxOverrides,
) {
  const now = overrides.now ?? Date.now
  const onExposed = (paths: string[]) =>
    log.warn({ paths }, 'other users of this machine may be able to read the data')
  const db =
    overrides.database ??
    (await openDatabase(config.databaseUrl, {
      directUrl: config.databaseDirectUrl,
      onExposed,
      clock: () => performance.now(),
      onCommit: metrics.committed,
      onRetry: () => metrics.retried('transaction'),
      onFinishFailed: (error) => log.error({ error }, 'what was stored has no place in its stream'),
      onEarlyCommits: () =>
        log.warn(
          {},
          'PostgreSQL confirms a COMMIT before it is on the disk (synchronous_commit = off): what guests were told is sent may be lost when it fails',
        ),
      maxConnections: maxConnections(config),
    }))
  if (db.engine === 'postgres')
    serversAt(config.databaseUrl).onMoved((server) =>
      log.warn({ server }, 'another PostgreSQL server was promoted, and is used from now on'),
    )
  const bus = overrides.bus ?? (await createBus(config, log, metrics))
  const registry = new PresenceRegistry(now)
  const backgroundTasks = new TaskTracker()
  const stop = new AbortController()
  const runInBackground = async (task: () => Promise<void>): Promise<void> => {
    try {
      await task()
    } catch (error) {
      // What ended because the server stops is no failure.
      if (error !== stop.signal.reason) log.error({ error }, 'background task failed')
    }
  }
  const base = { db, now, newId: createUuidV7Generator(now), secrets: createSecrets(), log, metrics, trace }
  const counters = overrides.shared ?? createCounters(config, overrides.now)
  const servers = db.engine === 'postgres' ? joinServers(bus, counters.gossip) : null
  const installationKey = await getOrCreateSetting(db, 'installation-key', () => base.secrets.newToken())
  const digest = (text: string) => base.secrets.sign(installationKey, text)
  const pusher = new Pusher(() => ctx)
  const expectedTimes = new ExpectedTimesCache(() => ctx)
  const ctx: Ctx = {
    ...base,
    guestCatalogues,
    bus,
    payments: await createPayments(config, base, () => ctx),
    push: overrides.push ?? (await createPush(config, db, overrides.pushService)),
    pusher,
    mail: config.mail && createMailer(config.mail),
    outbound: createOutbound(config.outboundAllow),
    outsideAlerts: new OutsideAlertSender(() => ctx),
    sightings: new Gatherer(
      sightingsWindowMs,
      (restaurantId, sightings) => storeSightings(ctx, restaurantId, sightings),
      isOutage,
    ),
    alertSteps: new Semaphore(db.backgroundTransactions),
    commitListeners: [
      (events) => bus.publish(events.map((event) => ({ kind: 'event', event }))),
      (events) => pusher.onCommit(events),
    ],
    hasDevices: (restaurantId) => registry.hasDevices(restaurantId),
    background: (task) => backgroundTasks.track(runInBackground(task)),
    stopping: stop.signal,
    installationKey,
    passwords: overrides.passwords ?? createArgon2Passwords(undefined, config.workers),
    webAuthn: createWebAuthn(),
    limits: servers ? createStoredLimits({ db, now, digest, others: counters.limits }) : counters.limits,
    countProcesses: () => config.workers * (servers?.count() ?? 1),
    presence: (restaurantId) => registry.presenceOf(restaurantId),
    analytics:
      overrides.analytics ?? createAnalyticsWorkerClient(config.databaseDirectUrl ?? db.url, config.workers),
    exports: createExportWorkerClient(config.databaseDirectUrl ?? db.url, log),
    expectedTime: (...request) => expectedTimes.find(...request),
    settings: {
      publicUrl: config.publicUrl,
      defaultRestaurant: config.defaultRestaurant,
      billing: config.billing,
      guestLimits: config.guestLimits,
      tryDemo: config.tryDemo,
      backup: config.backup,
    },
  }
  const { reserveSocket } = counters
  const beginStopping = (): void => stop.abort(new Error('The server stops'))
  return {
    ctx,
    registry,
    backgroundTasks,
    beginStopping,
    reserveSocket,
    leaveServers: () => servers?.leave(),
  }
}

/** The counters of a server without workers. */
function createCounters({ guestLimits }: Config, now?: () => number) {
  const gossip = createLimitGossip({ guests: guestLimits, ...(now && { now }) })
  return { limits: gossip.limits, reserveSocket: createSocketCounter(gossip), gossip }
}

/** For values that an installation creates only once, such as keys, so that every node reads the same ones. */
async function getOrCreateSetting(db: Database, name: string, create: () => string): Promise<string> {
  const existing = await settings.get(db.reader, name)
  return existing ?? db.transact((inside) => settings.putIfAbsent(inside, name, create()))
}

export async function createBus(
  { databaseUrl, databaseDirectUrl, redisUrl }: Config,
  log: Log,
  metrics: Pick<Metrics, 'busAnswered' | 'retried'>,
): Promise<Bus> {
  // Loading its client takes a quarter of the start-up time, and few installations use it.
  if (redisUrl !== null)
    return (await import('./adapters/bus/redis-bus.ts')).createRedisBus(redisUrl, log, metrics)
  return databaseUrl.startsWith('postgres')
    ? createPostgresBus(databaseDirectUrl ?? databaseUrl, log, metrics)
    : createMemoryBus(log)
}

/** Browsers subscribe with the installation's own key, so it is generated once and kept. */
async function createPush(
  { publicUrl }: Config,
  db: Database,
  privateService: PrivatePushService | undefined,
): Promise<PushSender> {
  const keys: PushKeys = JSON.parse(
    await getOrCreateSetting(db, 'push-keys', () => JSON.stringify(generatePushKeys())),
  )
  const subject = publicUrl.startsWith('https:')
    ? publicUrl
    : `mailto:tableside@${new URL(publicUrl).hostname}`
  return createWebPush({ keys, subject, privateService })
}
