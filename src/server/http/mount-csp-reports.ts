import { CspReports } from '#contract/csp-reports.ts'
import { parse } from '#contract/parse.ts'
import type { Ctx } from '../core/ports.ts'
import * as cspReports from '../core/audit/csp-reports.ts'
import { invalid } from '../core/errors.ts'
import type { HttpServer } from './server.ts'

export const cspReportsPath = '/api/csp-reports'

const bodyLimit = 16 * 1024

/** Where browsers tell what our Content-Security-Policy blocked: the older ones one by one, the newer in lists. */
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
        await cspReports.logReports(ctx, request.actor, reports.value)
        return reply.status(204).send()
      },
    })
  })
}
