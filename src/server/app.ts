import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { argon2Passwords } from './adapters/argon2.ts'
import { memoryLimits } from './adapters/limits.ts'
import { memoryBus } from './adapters/memory-bus.ts'
import type { PrivatePushService } from './adapters/web-push.ts'
import { createLog } from './adapters/pino-log.ts'
import { postgresBus } from './adapters/postgres-bus.ts'
import { newUuidV7, nodeSecrets } from './adapters/secrets.ts'
import { simpleWebAuthn } from './adapters/webauthn.ts'
import { workerAnalyst } from './adapters/worker-analyst.ts'
import { createBackground } from './background.ts'
import type { Config } from './config.ts'
import { controlPath, openControlSocket } from './control-socket.ts'
import type { Bus, Ctx, Log } from './core/ports.ts'
import type { IdentityProvider } from './core/identities.ts'
import { Pusher } from './core/pusher.ts'
import * as resetLink from './core/reset-link.ts'
import { keepRounds } from './core/rounds.ts'
import { passkeyHost } from './core/webauthn.ts'
import { loadGuestBundle } from './guest-bundle.ts'
import { createBrowsers } from './http/browser.ts'
import { mountCspReports } from './http/csp-reports.ts'
import { guestPage } from './http/guest-page.ts'
import { mountHeaders } from './http/headers.ts'
import { mountHealth } from './http/health.ts'
import { mountLogin } from './http/login.ts'
import { mountNavigation } from './http/navigation.ts'
import { type ArrivalLimits, createHttp } from './http/server.ts'
import { mountStaffApp } from './http/static.ts'
import { mountStripeWebhook } from './http/stripe-webhook.ts'
import { keptSetting } from './kept-setting.ts'
import { createGateway } from './live/gateway.ts'
import { PresenceBoard } from './live/presence.ts'
import { acceptWebSockets } from './live/websocket.ts'
import { openPayments } from './open-payments.ts'
import { openPush } from './open-push.ts'
import { openDatabase } from './storage/database.ts'
import type { Database } from './storage/types.ts'

const dist = join(import.meta.dirname, '../../dist')

/** How long live sockets are sent away for when the server stops, in milliseconds. */
const drainMs = 1_000

/** What tests put in the place of the clock, the rounds as it goes on, the slow password hash and the log. */
export type Parts = {
  now?: () => number
  rounds?: 'by hand'
  passwords?: Ctx['passwords']
  log?: Logger
  database?: Database
  pushService?: PrivatePushService
  arrivalLimits?: ArrivalLimits
}

export type App = {
  url: string
  port: number
  ctx: Ctx
  /** Until nothing goes on in the background. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Puts a whole server together and opens its port. */
export async function startApp(config: Config, parts: Parts = {}): Promise<App> {
  const log = parts.log ?? createLog()
  const now = parts.now ?? Date.now
  const onExposed = (paths: string[]) =>
    log.warn({ paths }, 'other users of this machine may be able to read the data')
  const db = parts.database ?? (await openDatabase(config.databaseUrl, { onExposed }))
  const bus = await openBus(config, log)
  const board = new PresenceBoard(now)
  const background = createBackground(log)
  const means = { db, now, newId: newUuidV7(now), secrets: nodeSecrets(), log }
  const pusher = new Pusher(() => ctx)
  const ctx: Ctx = {
    ...means,
    bus,
    payments: await openPayments(config, means, () => ctx),
    push: await openPush(config, db, parts.pushService),
    pusher,
    commitListeners: [
      (events) => bus.publish(events.map((event) => ({ kind: 'event', event }))),
      (events) => pusher.onCommit(events),
    ],
    hasDevices: (restaurantId) => board.hasDevices(restaurantId),
    background: background.run,
    installationKey: await keptSetting(db, 'installation-key', () => means.secrets.newToken()),
    passwords: parts.passwords ?? argon2Passwords(),
    webAuthn: simpleWebAuthn(),
    limits: memoryLimits({ guests: config.guestLimits, now }),
    presence: (restaurantId) => board.of(restaurantId),
    analyst: workerAnalyst(db.url),
    settings: {
      publicUrl: config.publicUrl,
      defaultRestaurant: config.defaultRestaurant,
      billing: config.billing,
      guestLimits: config.guestLimits,
    },
  }

  const gateway = createGateway(ctx, board, { node: randomUUID(), severalNodes: db.engine === 'postgres' })
  const origins = [...config.origins]
  const browsers = createBrowsers(ctx, {
    origins,
    secure: config.publicUrl.startsWith('https:'),
    trustProxy: config.trustProxy,
  })
  const http = createHttp(ctx, browsers, log.child({}, { level: 'warn' }), parts.arrivalLimits)
  const stripe = config.billing && config.stripe !== null
  mountHeaders(http, config.publicUrl, { stripe })
  mountHealth(http, ctx, { sockets: gateway.connections, metricsToken: config.metricsToken })
  mountNavigation(http, ctx, browsers)
  mountStripeWebhook(http, ctx)
  mountCspReports(http, ctx)
  mountLogin(http, ctx, browsers, await openIdentityProvider(config, log))
  guestPage(http, ctx, await loadGuestBundle(dist))
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
      const problem = browsers.forgery('GET', request.headers, true)
      if (problem !== null) return { status: 403, reason: problem }
      const { actor, cookies } = await browsers.identify(request, 'make-known')
      return { actor, cookies }
    },
    log,
  )
  await gateway.ready()
  const stopRounds = parts.rounds === 'by hand' ? () => {} : keepRounds(ctx)

  await http.listen({ port: config.port, host: config.host })
  const address = http.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  // With port 0 the origin is known only now.
  if (config.port === 0) origins.push(`http://localhost:${port}`, `http://127.0.0.1:${port}`)

  const url = config.port === 0 ? `http://localhost:${port}` : config.publicUrl
  const closeControl = await openControl(config.databaseUrl, ctx, url)

  let closing: Promise<void> | undefined
  const close = async () => {
    await closeControl()
    stopRounds()
    await gateway.drain(drainMs)
    await http.close()
    await http.idle()
    ctx.push.close()
    await background.settled()
    await gateway.close()
    await bus.close()
    await ctx.analyst.close()
    await db.close()
  }
  return {
    url,
    port,
    ctx,
    settled: () => background.settled(),
    close: () => (closing ??= close()),
  }
}

/** For `npm run reset-password`. A server without it serves guests and crews all the same. */
async function openControl(databaseUrl: string, ctx: Ctx, url: string): Promise<() => Promise<void>> {
  const path = controlPath(databaseUrl)
  try {
    if (path !== null)
      return await openControlSocket(path, (named) => resetLink.create(ctx, url, named), ctx.log)
  } catch (error) {
    ctx.log.warn({ error, path }, 'npm run reset-password works only while the server is stopped')
  }
  return async () => {}
}

async function openIdentityProvider(config: Config, log: Log): Promise<IdentityProvider | null> {
  if (config.oidc === null) return null
  const { openIdConnect } = await import('./adapters/openid-connect.ts')
  return openIdConnect(config.oidc, `${config.publicUrl}/api/login/callback`, log)
}

async function openBus(config: Config, log: Log): Promise<Bus> {
  // Loading its client takes a quarter of the whole start, and few installations have one.
  if (config.redisUrl !== null)
    return (await import('./adapters/redis-bus.ts')).redisBus(config.redisUrl, log)
  return config.databaseUrl.startsWith('postgres') ? postgresBus(config.databaseUrl, log) : memoryBus(log)
}
