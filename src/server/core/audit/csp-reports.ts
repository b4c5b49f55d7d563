import type { CspReports } from '#contract/csp-reports.ts'
import type { Actor } from '../actor.ts'
import type { Ctx } from '../ports.ts'
import { Refusal } from '../errors.ts'

/** Anybody may say that a page of ours was kept from something; what they say is only ever logged, and not all of it. */
export async function logReports(ctx: Ctx, actor: Actor, reports: CspReports): Promise<void> {
  await ctx.limits.take('csp-report-address', actor.address)
  for (const { document, blocked, directive, source } of reports) {
    if (!(await isWithinGlobalLimit(ctx))) return
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

async function isWithinGlobalLimit(ctx: Ctx): Promise<boolean> {
  try {
    await ctx.limits.take('csp-report-all', 'all')
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** A link's query holds table codes. */
const withoutQuery = (url: string): string => (url.split(/[?#]/u)[0] ?? '').slice(0, 200)
