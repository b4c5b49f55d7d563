import { createAnalyticsWorkerClient } from './adapters/analytics-worker-client.ts'
import { createArgon2Passwords } from './adapters/auth/argon2.ts'
import { createWebAuthn } from './adapters/auth/webauthn.ts'
import { createMemoryBus } from './adapters/bus/memory-bus.ts'
import { createPostgresBus } from './adapters/bus/postgres-bus.ts'
import {
  createWebPush,
  generatePushKeys,
  type PrivatePushService,
  type PushKeys,
} from './adapters/push/web-push.ts'
import { createMemoryRateLimits } from './adapters/rate-limits.ts'
import { createSecrets } from './adapters/secrets.ts'
import { createUuidV7Generator } from './adapters/uuid-v7.ts'
import type { Config } from './config.ts'
import type { Bus, Ctx, Log, PushSender } from './core/ports.ts'
import { Pusher } from './core/push/pusher.ts'
import { TaskTracker } from './core/task-tracker.ts'
import { createPayments } from './create-payments.ts'
import { PresenceRegistry } from './live/presence/registry.ts'
import { openDatabase } from './storage/engine/database.ts'
import type { Database } from './storage/engine/types.ts'
import * as settings from './storage/settings.ts'

/** What tests replace. */
export type CtxOverrides = {
  now?: () => number
  passwords?: Ctx['passwords']
  database?: Database
  pushService?: PrivatePushService
}

/** Chooses the adapters that the configuration asks for, and opens the database. */
export async function createCtx(config: Config, log: Log, overrides: CtxOverrides) {
  const now = overrides.now ?? Date.now
  const onExposed = (paths: string[]) =>
    log.warn({ paths }, 'other users of this machine may be able to read the data')
  const db = overrides.database ?? (await openDatabase(config.databaseUrl, { onExposed }))
  const bus = await createBus(config, log)
  const registry = new PresenceRegistry(now)
  const backgroundTasks = new TaskTracker()
  const base = { db, now, newId: createUuidV7Generator(now), secrets: createSecrets(), log }
  const pusher = new Pusher(() => ctx)
  const ctx: Ctx = {
    ...base,
    bus,
    payments: await createPayments(config, base, () => ctx),
    push: await createPush(config, db, overrides.pushService),
    pusher,
    commitListeners: [
      (events) => bus.publish(events.map((event) => ({ kind: 'event', event }))),
      (events) => pusher.onCommit(events),
    ],
    hasDevices: (restaurantId) => registry.hasDevices(restaurantId),
    background: (task) =>
      backgroundTasks.track(task().catch((error: unknown) => log.error({ error }, 'background task failed'))),
    installationKey: await getOrCreateSetting(db, 'installation-key', () => base.secrets.newToken()),
    passwords: overrides.passwords ?? createArgon2Passwords(),
    webAuthn: createWebAuthn(),
    limits: createMemoryRateLimits({ guests: config.guestLimits, now }),
    presence: (restaurantId) => registry.presenceOf(restaurantId),
    analytics: createAnalyticsWorkerClient(db.url),
    settings: {
      publicUrl: config.publicUrl,
      defaultRestaurant: config.defaultRestaurant,
      billing: config.billing,
      guestLimits: config.guestLimits,
    },
  }
  return { ctx, registry, backgroundTasks }
}

/** For values that an installation creates only once, such as keys, so that every node reads the same ones. */
async function getOrCreateSetting(db: Database, name: string, create: () => string): Promise<string> {
  const existing = await settings.get(db.reader, name)
  return existing ?? db.transact((inside) => settings.putIfAbsent(inside, name, create()))
}

async function createBus({ databaseUrl, redisUrl }: Config, log: Log): Promise<Bus> {
  // Loading its client takes a quarter of the start-up time, and few installations use it.
  if (redisUrl !== null) return (await import('./adapters/bus/redis-bus.ts')).createRedisBus(redisUrl, log)
  return databaseUrl.startsWith('postgres') ? createPostgresBus(databaseUrl, log) : createMemoryBus(log)
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
