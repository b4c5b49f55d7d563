import type { Ctx } from '../../core/ctx.ts'
import { createHealthCheck } from '../../core/health.ts'
import { isLoopback } from '../client-address.ts'
import type { HttpServer } from '../server.ts'

/** The last backup that the server made by itself; `ageSeconds` is null while there is none. */
export type BackupReport = { ageSeconds: number | null; overdue: boolean }

/** Answers to machines, which come every few seconds, would hide how long people wait. */
const monitoring = { config: { answered: 'uncounted' } } as const

/** For monitoring, and for proxies. */
export function mountHealth(
  server: HttpServer,
  ctx: Ctx,
  options: {
    isStopping: () => boolean
    metrics: () => Promise<string>
    metricsToken: string | null
    backup: (() => Promise<BackupReport>) | null
  },
): void {
  const findProblems = createHealthCheck(ctx, options.isStopping)
  // Whoever asks learns of an overdue backup, but guests and crews are served as before.
  const findBackup = async () => options.backup?.().catch(() => undefined)

  server.get('/healthz', monitoring, async () => ({ status: 'ok' }))

  server.get('/readyz', monitoring, async (_request, reply) => {
    const problems = await findProblems()
    void reply.status(problems.length === 0 ? 200 : 503)
    const backup = await findBackup()
    return { status: problems.length === 0 ? 'ok' : 'not ready', problems, ...(backup && { backup }) }
  })

  // What is wrong with every node at once, such as a lost database, must not have a proxy refuse everybody.
  server.get('/servingz', monitoring, async (_request, reply) => {
    const stopping = options.isStopping()
    void reply.status(stopping ? 503 : 200)
    return { status: stopping ? 'stopping' : 'ok' }
  })

  server.get('/metrics', monitoring, async (request, reply) => {
    const { metricsToken } = options
    const allowed =
      metricsToken === null
        ? isLoopback(request.socket.remoteAddress ?? '') && request.headers['x-forwarded-for'] === undefined
        : ctx.secrets.equal(request.headers.authorization ?? '', `Bearer ${metricsToken}`)
    if (!allowed) return reply.callNotFound()
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await options.metrics())
  })
}
