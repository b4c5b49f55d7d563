import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { createArgon2Passwords } from './adapters/auth/argon2.ts'
import { createMemoryRateLimits } from './adapters/rate-limits.ts'
import { createMemoryBus } from './adapters/bus/memory-bus.ts'
import type { PrivatePushService } from './adapters/push/web-push.ts'
import { createLogger } from './adapters/pino-logger.ts'
import { createPostgresBus } from './adapters/bus/postgres-bus.ts'
import { createUuidV7Generator, createSecrets } from './adapters/secrets.ts'
import { createWebAuthn } from './adapters/auth/webauthn.ts'
import { createAnalyticsWorkerClient } from './adapters/analytics-worker-client.ts'
import { createBackgroundTasks } from './background-tasks.ts'
import type { Config } from './config.ts'
import { controlPath, openControlSocket } from './control-socket.ts'
import type { Bus, Ctx, Log } from './core/ports.ts'
import type { IdentityProvider } from './core/accounts/openid-login.ts'
import { Pusher } from './core/push/pusher.ts'
import * as resetLink from './core/accounts/reset-link.ts'
import { startScheduler } from './core/scheduler.ts'
import { passkeyHost } from './core/accounts/passkey-site.ts'
import { loadGuestBundle } from './guest-bundle.ts'
import { createBrowserSessions } from './http/cookies.ts'
import { mountCspReports } from './http/mount-csp-reports.ts'
import { mountGuestPage } from './http/mount-guest-page.ts'
import { mountSecurityHeaders } from './http/mount-security-headers.ts'
import { mountHealth } from './http/mount-health.ts'
import { mountOpenIdLogin } from './http/mount-openid-login.ts'
import { mountNavigationRoutes } from './http/mount-navigation.ts'
import { type RequestTimeouts, createHttpServer } from './http/server.ts'
import { mountStaffApp } from './http/mount-staff-app.ts'
import { mountStripeWebhook } from './http/mount-stripe-webhook.ts'
import { getOrCreateSetting } from './installation-setting.ts'
import { createGateway } from './live/gateway.ts'
import { PresenceRegistry } from './live/presence/registry.ts'
import { acceptWebSockets } from './live/websocket-server.ts'
import { createPayments } from './create-payments.ts'
import { createPush } from './create-push.ts'
import { openDatabase } from './storage/engine/database.ts'
import type { Database } from './storage/engine/types.ts'

const dist = join(import.meta.dirname, '../../dist')

/** How long live sockets are sent away for when the server stops, in milliseconds. */
const drainPeriodMs = 1_000

/** What tests put in the place of the clock, the rounds as it goes on, the slow password hash and the log. */
export type AppOverrides = {
  now?: () => number
  rounds?: 'by hand'
  passwords?: Ctx['passwords']
  log?: Logger
  database?: Database
  pushService?: PrivatePushService
  arrivalLimits?: RequestTimeouts
}

export type App = {
  url: string
  port: number
  ctx: Ctx
  /** Until nothing goes on in the background. */
  whenIdle(): Promise<void>
  close(): Promise<void>
}

/** Puts a whole server together and opens its port. */
export async function startApp(config: Config, parts: AppOverrides = {}): Promise<App> {
  const log = parts.log ?? createLogger()
  const now = parts.now ?? Date.now
  const warnAboutExposedFiles = (paths: string[]) =>
    log.warn({ paths }, 'other users of this machine may be able to read the data')
  const db = parts.database ?? (await openDatabase(config.databaseUrl, { onExposed: warnAboutExposedFiles }))
  const bus = await createBus(config, log)
  const presenceRegistry = new PresenceRegistry(now)
  const background = createBackgroundTasks(log)
  const coreParts = { db, now, newId: createUuidV7Generator(now), secrets: createSecrets(), log }
  const pusher = new Pusher(() => ctx)
  const ctx: Ctx = {
    ...coreParts,
    bus,
    payments: await createPayments(config, coreParts, () => ctx),
    push: await createPush(config, db, parts.pushService),
    pusher,
    commitListeners: [
      (events) => bus.publish(events.map((event) => ({ kind: 'event', event }))),
      (events) => pusher.onCommit(events),
    ],
    hasDevices: (restaurantId) => presenceRegistry.hasDevices(restaurantId),
    background: background.run,
    installationKey: await getOrCreateSetting(db, 'installation-key', () => coreParts.secrets.newToken()),
    passwords: parts.passwords ?? createArgon2Passwords(),
    webAuthn: createWebAuthn(),
    limits: createMemoryRateLimits({ guests: config.guestLimits, now }),
    presence: (restaurantId) => presenceRegistry.presenceOf(restaurantId),
    analytics: createAnalyticsWorkerClient(db.url),
    settings: {
      publicUrl: config.publicUrl,
      defaultRestaurant: config.defaultRestaurant,
      billing: config.billing,
      guestLimits: config.guestLimits,
    },
  }

  const gateway = createGateway(ctx, presenceRegistry, {
    node: randomUUID(),
    severalNodes: db.engine === 'postgres',
  })
  const origins = [...config.origins]
  const browsers = createBrowserSessions(ctx, {
    origins,
    secure: config.publicUrl.startsWith('https:'),
    trustProxy: config.trustProxy,
  })
  const http = createHttpServer(ctx, browsers, log.child({}, { level: 'warn' }), parts.arrivalLimits)
  const stripe = config.billing && config.stripe !== null
  mountSecurityHeaders(http, config.publicUrl, { stripe })
  mountHealth(http, ctx, { sockets: gateway.connections, metricsToken: config.metricsToken })
  mountNavigationRoutes(http, ctx, browsers)
  mountStripeWebhook(http, ctx)
  mountCspReports(http, ctx)
  mountOpenIdLogin(http, ctx, browsers, await createIdentityProvider(config, log))
  mountGuestPage(http, ctx, await loadGuestBundle(dist))
  const payments = stripe ? 'stripe' : config.billing ? 'sandbox' : 'off'
  mountStaffApp(http, dist, {
    payments,
    openId: config.oidc !== null,
    passkeyHost: passkeyHost(config.publicUrl),
  })
  acceptWebSockets(
    http.server,
    gateway,
    async (request) => {
      const problem = browsers.csrfProblem('GET', request.headers, true)
      if (problem !== null) return { status: 403, reason: problem }
      const { actor, cookies } = await browsers.identify(request, 'make-known')
      return { actor, cookies }
    },
    log,
  )
  await gateway.ready()
  const stopScheduler = parts.rounds === 'by hand' ? () => {} : startScheduler(ctx)

  await http.listen({ port: config.port, host: config.host })
  const address = http.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  // With port 0 the origin is known only now.
  if (config.port === 0) origins.push(`http://localhost:${port}`, `http://127.0.0.1:${port}`)

  const url = config.port === 0 ? `http://localhost:${port}` : config.publicUrl
  const closeControl = await startControlSocket(config.databaseUrl, ctx, url)

  let closing: Promise<void> | undefined
  const close = async () => {
    await closeControl()
    stopScheduler()
    await gateway.drain(drainPeriodMs)
    await http.close()
    await http.idle()
    ctx.push.close()
    await background.whenIdle()
    await gateway.close()
    await bus.close()
    await ctx.analytics.close()
    await db.close()
  }
  return {
    url,
    port,
    ctx,
    whenIdle: () => background.whenIdle(),
    close: () => (closing ??= close()),
  }
}

/** For `npm run reset-password`. A server without it serves guests and crews all the same. */
async function startControlSocket(databaseUrl: string, ctx: Ctx, url: string): Promise<() => Promise<void>> {
  const path = controlPath(databaseUrl)
  try {
    if (path !== null)
      return await openControlSocket(path, (named) => resetLink.create(ctx, url, named), ctx.log)
  } catch (error) {
    ctx.log.warn({ error, path }, 'npm run reset-password works only while the server is stopped')
  }
  return async () => {}
}

async function createIdentityProvider(config: Config, log: Log): Promise<IdentityProvider | null> {
  if (config.oidc === null) return null
  const { createOpenIdProvider: openIdConnect } = await import('./adapters/auth/openid-connect.ts')
  return openIdConnect(config.oidc, `${config.publicUrl}/api/login/callback`, log)
}

async function createBus(config: Config, log: Log): Promise<Bus> {
  // Loading its client takes a quarter of the whole start, and few installations have one.
  if (config.redisUrl !== null)
    return (await import('./adapters/bus/redis-bus.ts')).createRedisBus(config.redisUrl, log)
  return config.databaseUrl.startsWith('postgres')
    ? createPostgresBus(config.databaseUrl, log)
    : createMemoryBus(log)
}
