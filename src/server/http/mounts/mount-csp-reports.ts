import { CspReports } from '#contract/csp-reports.ts'
import { parse } from '#contract/parse.ts'
import type { Actor } from '../../core/actor.ts'
import type { Ctx } from '../../core/ctx.ts'
import { invalid } from '../../core/errors.ts'
import { tryTake } from '../../core/limits/limits.ts'
import { cspReportsPath } from '../content-security-policy.ts'
import type { HttpServer } from '../server.ts'

const bodyLimit = 16 * 1024

/** Receives reports of what our Content-Security-Policy blocked: single ones from older browsers, else lists. */
export function mountCspReports(server: HttpServer, ctx: Ctx): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      ['application/csp-report', 'application/reports+json'],
      { parseAs: 'string', bodyLimit },
      scope.getDefaultJsonParser('error', 'error'),
    )
    scope.route({
      method: 'POST',
      url: cspReportsPath,
      config: { sentByBrowser: true },
      handler: async (request, reply) => {
        const reports = parse(CspReports, request.body)
        if (!reports.ok) throw invalid(reports.message)
        await logReports(ctx, request.actor, reports.value)
        return reply.status(204).send()
      },
    })
  })
}

/** Anybody can send reports, so they are only logged, and only a sample of them. */
async function logReports(ctx: Ctx, actor: Actor, reports: CspReports): Promise<void> {
  await ctx.limits.take('csp-report-address', actor.address)
  for (const { document, blocked, directive, source } of reports) {
    if (!(await tryTake(ctx, 'csp-report-all', 'all'))) return
    ctx.log.warn(
      {
        directive: directive.slice(0, 100),
        blocked: withoutQuery(blocked),
        document: withoutQuery(document),
        source: withoutQuery(source),
      },
      'content security policy violated',
    )
  }
}

/** Drops the query, which may hold a table's code. */
const withoutQuery = (url: string): string => (url.split(/[?#]/u)[0] ?? '').slice(0, 200)
