import { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '../src/server/storage/engine/database.ts'
import type { Told } from './burst.ts'

/**
 * Opens what is in the folder as the server would, and says what of the promises does not hold. `told` is what somebody
 * had been told.
 */
export async function findProblem(database: string, told: Told): Promise<string | null> {
  try {
    await (await openDatabase(`file:${database}`)).close()
  } catch (error) {
    return `does not open: ${error instanceof Error ? error.message : String(error)}`
  }
  using file = new DatabaseSync(database, { readOnly: true })
  return findDamage(file) ?? (await findLoss(async (sql) => file.prepare(sql).all(), told))
}

function findDamage(file: DatabaseSync): string | null {
  const [integrity] = file.prepare('pragma integrity_check').all()
  if (integrity?.['integrity_check'] !== 'ok') return `damaged: ${JSON.stringify(integrity)}`
  const orphan = file.prepare('pragma foreign_key_check').get()
  return orphan ? `refers to what is not there: ${JSON.stringify(orphan)}` : null
}

type Row = Record<string, unknown>

/** `query`: of a database of either kind. */
export async function findLoss(
  query: (sql: string) => Promise<Row[]>,
  { requests, completed }: Told,
): Promise<string | null> {
  const rows = await query(
    `select id, closed_at as "closedAt",
       (select count(*) from request_event where request_id = service_request.id and kind = 'created') as created
     from service_request`,
  )
  const stored = new Map(rows.map((row) => [String(row['id']), row]))
  for (const id of requests) {
    const row = stored.get(id)
    if (!row) return `request ${id} was told and is lost`
    if (Number(row['created']) !== 1)
      return `request ${id} has ${String(row['created'])} events of its creation`
    if (completed.has(id) && row['closedAt'] === null)
      return `request ${id} was told to be completed and is open`
  }
  const [counts] = await query(
    `select (select count(*) from request_event) as events,
       (select coalesce(sum(last_seq), 0) from live_stream where name = 'staff') as numbers`,
  )
  return Number(counts?.['events']) === Number(counts?.['numbers'])
    ? null
    : `${String(counts?.['events'])} events have ${String(counts?.['numbers'])} numbers`
}
