import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Logger } from 'pino'
import * as v from 'valibot'
import { createLogger } from './adapters/pino-logger.ts'
import type { Config } from './config.ts'
import { controlPath, openControlSocket } from './control-socket.ts'
import type { IdentityProvider } from './core/accounts/openid-login.ts'
import { passkeyHost } from './core/accounts/passkey-site.ts'
import * as resetLink from './core/accounts/reset-link.ts'
import type { Ctx, Log } from './core/ports.ts'
import { startScheduler } from './core/scheduler.ts'
import { createCtx, type CtxOverrides } from './create-ctx.ts'
import type { GuestBundle } from './http/guest-html.ts'
import { createClientAddress } from './http/client-address.ts'
import { createCookies } from './http/cookies.ts'
import { findCsrfProblem } from './http/csrf.ts'
import { createIdentify } from './http/identify.ts'
import { mountCspReports } from './http/mount-csp-reports.ts'
import { mountGuestPage } from './http/mount-guest-page.ts'
import { mountHealth } from './http/mount-health.ts'
import { mountNavigationRoutes } from './http/mount-navigation.ts'
import { mountOpenIdLogin } from './http/mount-openid-login.ts'
import { mountSecurityHeaders } from './http/mount-security-headers.ts'
import { mountStaffApp } from './http/mount-staff-app.ts'
import { mountStripeWebhook } from './http/mount-stripe-webhook.ts'
import { createHttpServer, type HttpServer, type RequestTimeouts } from './http/server.ts'
import { createGateway, type Gateway } from './live/gateway.ts'
import { acceptWebSockets } from './live/websocket-server.ts'

const dist = join(import.meta.dirname, '../../dist')

/** The time over which live sockets are closed when the server stops, in milliseconds. */
const drainPeriodMs = 1_000

/** What tests replace. With `manual` they run the scheduled tasks themselves. */
export type AppOverrides = CtxOverrides & {
  scheduler?: 'manual'
  log?: Logger
  requestTimeouts?: RequestTimeouts
}

export type App = {
  url: string
  port: number
  ctx: Ctx
  /** Resolves when no background task is running. */
  whenIdle(): Promise<void>
  close(): Promise<void>
}

/** Assembles a complete server and opens its port. */
export async function startApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const log = overrides.log ?? createLogger()
  const { ctx, registry, backgroundTasks } = await createCtx(config, log, overrides)
  const gateway = createGateway(ctx, registry, {
    node: randomUUID(),
    severalNodes: ctx.db.engine === 'postgres',
  })
  const origins = [...config.origins]
  const http = createHttp(config, ctx, gateway, {
    origins,
    log,
    timeouts: overrides.requestTimeouts,
    identityProvider: await createIdentityProvider(config, log),
    guestBundle: await loadGuestBundle(),
  })
  await gateway.ready()
  const stopScheduler = overrides.scheduler === 'manual' ? () => {} : startScheduler(ctx)

  await http.listen({ port: config.port, host: config.host })
  const address = http.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  // With port 0 the origin is not known before this point.
  if (config.port === 0) origins.push(`http://localhost:${port}`, `http://127.0.0.1:${port}`)
  const url = config.port === 0 ? `http://localhost:${port}` : config.publicUrl
  const closeControl = await startControlSocket(config.databaseUrl, ctx, url)

  let closing: Promise<void> | undefined
  const close = async () => {
    await closeControl()
    stopScheduler()
    await gateway.drain(drainPeriodMs)
    await http.close()
    await http.whenIdle()
    ctx.push.close()
    await backgroundTasks.whenIdle()
    await gateway.close()
    await ctx.bus.close()
    await ctx.analytics.close()
    await ctx.db.close()
  }
  return {
    url,
    port,
    ctx,
    whenIdle: () => backgroundTasks.whenIdle(),
    close: () => (closing ??= close()),
  }
}

type HttpOptions = {
  origins: readonly string[]
  log: Logger
  timeouts: RequestTimeouts | undefined
  identityProvider: IdentityProvider | null
  guestBundle: GuestBundle
}

/** Not asynchronous: a Fastify server is thenable, and awaiting it would start it. */
function createHttp(
  config: Config,
  ctx: Ctx,
  gateway: Gateway,
  { origins, log, timeouts, identityProvider, guestBundle }: HttpOptions,
): HttpServer {
  const cookies = createCookies({ secure: config.publicUrl.startsWith('https:') })
  const identify = createIdentify(ctx, cookies, createClientAddress(config.trustProxy))
  const logger = log.child({}, { level: 'warn' })
  const http = createHttpServer(ctx, { cookies, identify, origins, logger, timeouts })
  const payments = !config.billing ? 'off' : config.stripe === null ? 'sandbox' : 'stripe'
  mountSecurityHeaders(http, config.publicUrl, { stripe: payments === 'stripe' })
  mountHealth(http, ctx, { sockets: gateway.connections, metricsToken: config.metricsToken })
  mountNavigationRoutes(http, ctx, cookies)
  mountStripeWebhook(http, ctx)
  mountCspReports(http, ctx)
  mountOpenIdLogin(http, ctx, cookies, identityProvider)
  mountGuestPage(http, ctx, guestBundle)
  mountStaffApp(http, dist, {
    payments,
    openId: config.oidc !== null,
    passkeyHost: passkeyHost(config.publicUrl),
  })
  acceptWebSockets(
    http.server,
    gateway,
    async (request) => {
      const problem = findCsrfProblem(origins, { method: 'GET', headers: request.headers, isUpgrade: true })
      return problem === null ? identify(request, 'create-if-missing') : { status: 403, reason: problem }
    },
    log,
  )
  return http
}

const Manifest = v.object({ guest: v.object({ script: v.string(), css: v.string() }) })

/** Reads what `npm run build` left in `dist`. */
async function loadGuestBundle(): Promise<GuestBundle> {
  const text = (file: string): Promise<string> => readFile(join(dist, file), 'utf8')
  const { guest } = v.parse(v.pipe(v.string(), v.parseJson(), Manifest), await text('manifest.json'))
  const server: { render: GuestBundle['render'] } = await import(
    pathToFileURL(join(dist, 'server/guest-server.js')).href
  )
  return {
    render: server.render,
    css: (await text(`client/${guest.css}`)).trim(),
    tapQueue: (await text('server/tap-queue.js')).trim(),
    script: `/${guest.script}`,
  }
}

async function createIdentityProvider(config: Config, log: Log): Promise<IdentityProvider | null> {
  if (config.oidc === null) return null
  const { createOpenIdProvider } = await import('./adapters/auth/openid-connect.ts')
  return createOpenIdProvider(config.oidc, `${config.publicUrl}/api/login/callback`, log)
}

/** For `npm run reset-password`. If it cannot be opened, the server still serves guests and crews. */
async function startControlSocket(databaseUrl: string, ctx: Ctx, url: string): Promise<() => Promise<void>> {
  const path = controlPath(databaseUrl)
  try {
    if (path !== null)
      return await openControlSocket(path, (search) => resetLink.create(ctx, url, search), ctx.log)
  } catch (error) {
    ctx.log.warn({ error, path }, 'npm run reset-password works only while the server is stopped')
  }
  return async () => {}
}
