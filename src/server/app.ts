import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Logger } from 'pino'
import * as v from 'valibot'
import { type Catalogues, readCatalogues, readGuestCatalogues } from './adapters/catalogues.ts'
import { createMetrics, toPrometheus } from './adapters/metrics.ts'
import { createLogger } from './adapters/pino-logger.ts'
import type { Tracing, TracingSettings } from './adapters/tracing.ts'
import { makeBackup } from './backup/make-backup.ts'
import { type BackupSchedule, backupSetting, backUpIfDue, describeBackup } from './backup/schedule.ts'
import { childEnvironment, type Config } from './config.ts'
import { type ControlHandlers, controlPath, openControlSocket } from './control-socket.ts'
import { passkeyHost } from './core/accounts/passkeys/passkey-site.ts'
import * as resetLink from './core/accounts/recovery/reset-link.ts'
import * as erasure from './core/accounts/restaurants/erasure.ts'
import type { IdentityProvider } from './core/accounts/sign-in/openid-login.ts'
import type { Ctx } from './core/ctx.ts'
import { measureQueues } from './core/queues.ts'
import { startScheduler } from './core/tasks/scheduler.ts'
import { createCtx, type CtxOverrides } from './create-ctx.ts'
import { createClientAddress } from './http/client-address.ts'
import { createCookies } from './http/cookies.ts'
import { findCsrfProblem } from './http/csrf.ts'
import { createIdentify } from './http/identify.ts'
import type { GuestBundle } from './http/mounts/guest-html.ts'
import { mountCatalogues } from './http/mounts/mount-catalogues.ts'
import { mountCspReports } from './http/mounts/mount-csp-reports.ts'
import { mountDevelopers } from './http/mounts/mount-developers.ts'
import { mountGuestPage } from './http/mounts/mount-guest-page.ts'
import { type BackupReport, mountHealth } from './http/mounts/mount-health.ts'
import { mountNavigationRoutes } from './http/mounts/mount-navigation.ts'
import { mountSecurityHeaders } from './http/mounts/mount-security-headers.ts'
import { mountStaffApp } from './http/mounts/mount-staff-app.ts'
import { mountStripeWebhook } from './http/mounts/mount-stripe-webhook.ts'
import { mountOpenIdLogin } from './http/openid/mount-openid-login.ts'
import { createHttpServer, type HttpServer, type RequestTimeouts } from './http/server.ts'
import { createGateway, type Gateway } from './live/gateway.ts'
import { acceptWebSockets } from './live/websocket-server.ts'
import type { Log } from './ports/monitoring.ts'
import * as settings from './storage/settings.ts'

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'dist')
const ownCatalogues = join(root, 'catalogues')

/** How long a replaced worker still answers on its open connections, in milliseconds. */
const replacedNoticeMs = 1_000

/** What tests replace. With `manual` they run the scheduled tasks themselves. */
export type AppOverrides = CtxOverrides & {
  scheduler?: 'manual'
  catalogues?: AllCatalogues
  guestBundle?: GuestBundle
  log?: Logger
  requestTimeouts?: RequestTimeouts
}

export type AllCatalogues = { catalogues: Catalogues; guestCatalogues: Ctx['guestCatalogues'] }

export type App = {
  url: string
  port: number
  ctx: Ctx
  /** Resolves when no background task is running. */
  whenIdle(): Promise<void>
  /** `replaced`: another process serves the port already. */
  close(options?: { replaced?: boolean }): Promise<void>
}

/** Assembles a complete server and opens its port. */
export async function startApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const log = overrides.log ?? createLogger()
  const { catalogues, guestCatalogues } = overrides.catalogues ?? readAllCatalogues(config)
  const metrics = createMetrics()
  const tracing = config.tracing && (await startTracing(config.tracing, log))
  const trace: Ctx['trace'] = tracing?.trace ?? ((_name, work) => work())
  const { ctx, registry, backgroundTasks, beginStopping, reserveSocket, leaveServers } = await createCtx(
    config,
    { log, metrics, trace, guestCatalogues },
    overrides,
  )
  const severalNodes = ctx.db.engine === 'postgres' || overrides.bus !== undefined
  const gateway = createGateway(ctx, registry, {
    node: randomUUID(),
    severalNodes,
    reserveSocket,
  })
  metrics.watch({
    sockets: gateway.connections,
    presence: () => registry.totals(),
    queues: () => measureQueues(ctx),
    backup: config.backup && createBackupReport(ctx, config.backup),
  })
  let stopping: 'no' | 'replaced' | 'stopped' = 'no'
  const origins = [...config.origins]
  const http = createHttp(config, ctx, gateway, {
    origins,
    log,
    severalNodes,
    instrument: tracing?.instrument,
    isStopping: () => stopping === 'stopped',
    metrics:
      overrides.shared?.shareMetrics(metrics.read) ?? (async () => toPrometheus([await metrics.read()])),
    async beforeClose() {
      if (stopping === 'stopped') return gateway.drain(config.drainSeconds * 1000)
      http.stopListening()
      // What has come already may still become a socket.
      await setTimeout(replacedNoticeMs)
      return gateway.drain(0)
    },
    timeouts: overrides.requestTimeouts,
    identityProvider: await createIdentityProvider(config, log),
    guestBundle: overrides.guestBundle ?? (await loadGuestBundle()),
    catalogues,
  })
  await gateway.ready()
  const stopScheduler = overrides.scheduler === 'manual' ? () => {} : startTasks(config, ctx)

  // The port of workers belongs to the process above them.
  const port = await http.open(config.port, config.host, { isOwnPort: overrides.shared === undefined })
  // With port 0 the origin is not known before this point.
  if (config.port === 0) origins.push(`http://localhost:${port}`, `http://127.0.0.1:${port}`)
  const url = config.port === 0 ? `http://localhost:${port}` : config.publicUrl
  const closeControl = await startControlSocket(config.databaseUrl, ctx.log, {
    status: async () => ({ url, pid: process.pid }),
    'reset-password': (search) => resetLink.create(ctx, url, search),
    erase: (name) => erasure.eraseNamed(ctx, name),
  })

  let closing: Promise<void> | undefined
  const close = async () => {
    // Nobody waits with a closed port for work that can be taken up again.
    beginStopping()
    await http.close()
    await http.whenIdle()
    metrics.stop()
    await closeControl()
    stopScheduler()
    ctx.push.close()
    ctx.mail?.close()
    ctx.outbound.close()
    await backgroundTasks.whenIdle()
    await gateway.close()
    leaveServers()
    await ctx.bus.close()
    await ctx.analytics.close()
    await ctx.exports.close()
    await ctx.db.close()
    await tracing?.close()
  }
  return {
    url,
    port,
    ctx,
    whenIdle: () => backgroundTasks.whenIdle(),
    close({ replaced = false } = {}) {
      if (stopping === 'no') stopping = replaced ? 'replaced' : 'stopped'
      return (closing ??= close())
    },
  }
}

function startTasks(config: Config, ctx: Ctx): () => void {
  const { backup } = config
  if (backup === null) return startScheduler(ctx)
  const tools = { env: childEnvironment() }
  const backUp = () =>
    backUpIfDue(ctx, backup, (folder, options) => makeBackup(config, folder, { ...options, tools }))
  // It may have become due while no server ran.
  ctx.background(backUp)
  return startScheduler(ctx, [backUp])
}

export const readAllCatalogues = ({ catalogues: theirs }: Pick<Config, 'catalogues'>): AllCatalogues => ({
  catalogues: readCatalogues(
    [join(ownCatalogues, 'staff'), ...(theirs === null ? [] : [theirs])],
    catalogueFolders('portals', theirs),
  ),
  guestCatalogues: readGuestCatalogues(catalogueFolders('guest', theirs)),
})

/** Ours, and the installation's if there are any. */
function catalogueFolders(set: 'portals' | 'guest', theirs: string | null): string[] {
  const own = theirs === null ? '' : join(theirs, set)
  return [join(ownCatalogues, set), ...(existsSync(own) ? [own] : [])]
}

type HttpOptions = {
  origins: readonly string[]
  log: Logger
  severalNodes: boolean
  instrument: Tracing['instrument'] | undefined
  isStopping: () => boolean
  metrics: () => Promise<string>
  beforeClose: () => Promise<void>
  timeouts: RequestTimeouts | undefined
  identityProvider: IdentityProvider | null
  guestBundle: GuestBundle
  catalogues: Catalogues
}

/** Not asynchronous: a Fastify server is thenable, and awaiting it would start it. */
function createHttp(
  config: Config,
  ctx: Ctx,
  gateway: Gateway,
  {
    origins,
    log,
    severalNodes,
    instrument,
    isStopping,
    metrics,
    beforeClose,
    timeouts,
    identityProvider,
    guestBundle,
    catalogues,
  }: HttpOptions,
): HttpServer {
  const cookies = createCookies({ secure: config.publicUrl.startsWith('https:') })
  const identify = createIdentify(ctx, cookies, createClientAddress(config.trustProxy))
  const logger = log.child({}, { level: 'warn' })
  const http = createHttpServer(ctx, {
    cookies,
    identify,
    origins,
    logger,
    instrument,
    timeouts,
    beforeClose,
  })
  const payments = !config.billing ? 'off' : config.stripe === null ? 'sandbox' : 'stripe'
  const inlineScript = readFileSync(join(dist, 'server/blank-page.js'), 'utf8').trim()
  mountSecurityHeaders(http, config.publicUrl, { stripe: payments === 'stripe', inlineScript })
  mountHealth(http, ctx, {
    isStopping,
    metrics,
    metricsToken: config.metricsToken,
    backup: config.backup && createBackupReport(ctx, config.backup),
  })
  mountNavigationRoutes(http, ctx, cookies)
  mountStripeWebhook(http, ctx)
  mountCspReports(http, ctx)
  mountOpenIdLogin(http, ctx, cookies, identityProvider)
  mountGuestPage(http, ctx, cookies, guestBundle, { worker: config.guestWorker })
  mountCatalogues(http, catalogues.files)
  mountDevelopers(http)
  mountStaffApp(http, dist, {
    payments,
    openId: config.oidc !== null,
    mail: config.mail !== null,
    tryDemo: config.tryDemo,
    passkeyHost: passkeyHost(config.publicUrl),
    catalogues,
    guestLanguages: [...ctx.guestCatalogues.keys()],
    severalNodes,
    cookies,
    inlineScript,
  })
  acceptWebSockets(
    http.server,
    gateway,
    async (request) => {
      const problem = findCsrfProblem(origins, { method: 'GET', headers: request.headers, isUpgrade: true })
      return problem === null ? identify(request, 'existing') : { status: 403, reason: problem }
    },
    log,
  )
  return http
}

const createBackupReport = (ctx: Ctx, schedule: BackupSchedule) => async (): Promise<BackupReport> => {
  const stored = await settings.get(ctx.db.reader, backupSetting)
  const { lastAt, overdue } = describeBackup(stored, schedule, ctx.now())
  return { ageSeconds: lastAt === null ? null : Math.round((ctx.now() - lastAt) / 1000), overdue }
}

const Manifest = v.object({
  guest: v.object({
    script: v.string(),
    css: v.string(),
    ownNeedsScript: v.string(),
    entryScript: v.string(),
  }),
})

/** Reads what `npm run build` left in `dist`. */
export async function loadGuestBundle(): Promise<GuestBundle> {
  const text = (file: string): Promise<string> => readFile(join(dist, file), 'utf8')
  const { guest } = v.parse(v.pipe(v.string(), v.parseJson(), Manifest), await text('manifest.json'))
  const rendered: Omit<
    GuestBundle,
    'css' | 'tapQueue' | 'cardScript' | 'script' | 'ownNeedsScript' | 'entryScript'
  > = await import(pathToFileURL(join(dist, 'server/guest-server.js')).href)
  return {
    ...rendered,
    css: (await text(`client/${guest.css}`)).trim(),
    tapQueue: (await text('server/tap-queue.js')).trim(),
    cardScript: (await text('server/card-script.js')).trim(),
    script: `/${guest.script}`,
    ownNeedsScript: `/${guest.ownNeedsScript}`,
    entryScript: `/${guest.entryScript}`,
  }
}

/** Loading it takes a quarter of a second, and few installations use it. */
async function startTracing(settings: TracingSettings, log: Log): Promise<Tracing> {
  return (await import('./adapters/tracing.ts')).createTracing(settings, log)
}

async function createIdentityProvider(config: Config, log: Log): Promise<IdentityProvider | null> {
  if (config.oidc === null) return null
  const { createOpenIdProvider } = await import('./adapters/auth/openid-connect.ts')
  return createOpenIdProvider(config.oidc, `${config.publicUrl}/api/login/callback`, log)
}

/** For the command line. If it cannot be opened, the server still serves guests and crews. */
async function startControlSocket(
  databaseUrl: string,
  log: Log,
  handlers: ControlHandlers,
): Promise<() => Promise<void>> {
  const path = controlPath(databaseUrl)
  try {
    if (path !== null) return await openControlSocket(path, handlers, log)
  } catch (error) {
    log.warn({ error, path }, 'the command line works only while the server is stopped')
  }
  return async () => {}
}
