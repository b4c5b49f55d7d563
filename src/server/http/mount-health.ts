import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Ctx } from '../core/ports.ts'
import { createHealthCheck } from '../core/health.ts'
import { isLoopback } from './client-address.ts'
import type { HttpServer } from './server.ts'

/** For monitoring. */
export function mountHealth(
  server: HttpServer,
  ctx: Ctx,
  options: { sockets: () => number; metricsToken: string | null },
): void {
  const findProblems = createHealthCheck(ctx)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  server.addHook('onClose', async () => {
    delay.disable()
  })

  server.get('/healthz', async () => ({ status: 'ok' }))

  server.get('/readyz', async (_request, reply) => {
    const problems = await findProblems()
    void reply.status(problems.length === 0 ? 200 : 503)
    return { status: problems.length === 0 ? 'ok' : 'not ready', problems }
  })

  server.get('/metrics', async (request, reply) => {
    const { metricsToken } = options
    const allowed =
      metricsToken === null
        ? isLoopback(request.socket.remoteAddress ?? '') && request.headers['x-forwarded-for'] === undefined
        : ctx.secrets.equal(request.headers.authorization ?? '', `Bearer ${metricsToken}`)
    if (!allowed) return reply.callNotFound()
    const figures = {
      tableside_live_sockets: options.sockets(),
      tableside_event_loop_delay_p99_seconds: delay.percentile(99) / 1e9,
      process_resident_memory_bytes: process.memoryUsage.rss(),
      process_uptime_seconds: process.uptime(),
    }
    delay.reset()
    const lines = Object.entries(figures).map(([name, value]) => `# TYPE ${name} gauge\n${name} ${value}\n`)
    return reply.type('text/plain; version=0.0.4').send(lines.join(''))
  })
}
