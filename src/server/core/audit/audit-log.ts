import { type AuditDetail, type AuditEntry, type AuditPage, auditColumns } from '#contract/audit.ts'
import * as audit from '../../storage/audit/audit.ts'
import { restaurantOf } from '../accounts/restaurants/restaurants.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import { csvHeader, csvLine } from '../csv.ts'
import type { Ctx } from '../ctx.ts'
import { read } from '../transaction.ts'
import { logSecurityEvent } from './security-log.ts'

const pageSize = 50

export async function list(
  ctx: Ctx,
  actor: Actor,
  { before }: { before?: string | undefined },
): Promise<AuditPage> {
  const { restaurantId } = authorizeInRestaurant(actor, 'audit.list')
  const rows = await audit.list(read(ctx), restaurantId, { before, limit: pageSize + 1 })
  return { entries: rows.slice(0, pageSize).map(toEntry), hasOlder: rows.length > pageSize }
}

function toEntry({ id, at, actorKind, actorName, action, detail }: audit.AuditEntry): AuditEntry {
  const parsed: AuditDetail = JSON.parse(detail)
  return { id, at, actorKind, actorName, action, detail: parsed }
}

/** The whole log, newest first, read and sent page by page. */
export async function download(
  ctx: Ctx,
  actor: Actor,
): Promise<{ name: string; chunks: AsyncIterable<Uint8Array> }> {
  const { restaurantId } = authorizeInRestaurant(actor, 'audit.download')
  const { name } = await restaurantOf(read(ctx), actor)
  logSecurityEvent(ctx, actor, 'data-exported', { what: 'audit log' })
  return { name: `${name}-audit-log.csv`, chunks: csvChunks(ctx, restaurantId) }
}

const chunkSize = 500

async function* csvChunks(ctx: Ctx, restaurantId: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(csvHeader(auditColumns))
  let before: string | undefined
  for (;;) {
    const rows = await audit.list(read(ctx), restaurantId, { before, limit: chunkSize })
    if (rows.length > 0) yield Buffer.from(rows.map(toCsvLine).join(''))
    if (rows.length < chunkSize) return
    before = rows.at(-1)?.id
  }
}

const toCsvLine = ({ at, actorKind, actorName, action, detail }: audit.AuditEntry): string =>
  csvLine([new Date(at).toISOString(), actorKind, actorName, action, detail])
