import { readConfig } from '../config.ts'
import { askServer, controlPath } from '../control-socket.ts'
import { openDatabase } from '../storage/engine/database.ts'
import { NewerDatabase } from '../storage/engine/errors.ts'
import { inspectDatabase } from '../storage/engine/inspection.ts'
import { type MigrationPlan, planMigrations as plan } from '../storage/engine/migrator.ts'
import { CommandError, type Outcome } from './output.ts'
import { createProgress } from './progress.ts'

export async function planMigrations(): Promise<Outcome> {
  const found = await loadPlan()
  const { done, pending, unknown } = found
  const json = { pending, unknown, done: done.length }
  if (unknown.length > 0) return { text: new NewerDatabase(unknown).message, json, failed: true }
  if (pending.length === 0) return { text: `Nothing to do: all ${done.length} migrations have run.`, json }
  return { text: `${count(pending)} would run:\n${list(pending)}`, json }
}

export async function migrate(): Promise<Outcome> {
  const { databaseUrl, databaseDirectUrl } = readConfig()
  const { done, pending, unknown } = await loadPlan()
  if (unknown.length > 0) throw new NewerDatabase(unknown)
  if (pending.length === 0)
    return { text: `Nothing to do: all ${done.length} migrations have run.`, json: { ran: [] } }
  const path = controlPath(databaseUrl)
  if (path !== null && (await askServer(path, 'status')))
    throw new CommandError(
      'The server is running and holds its database. Please restart it: every start runs what is missing.',
    )
  await using _ = createProgress('Migrating')
  const db = await openDatabase(databaseUrl, { directUrl: databaseDirectUrl })
  await db.close()
  return { text: `${count(pending)} ran:\n${list(pending)}`, json: { ran: pending } }
}

async function loadPlan(): Promise<MigrationPlan> {
  const { databaseUrl, databaseDirectUrl } = readConfig()
  const inspection = await inspectDatabase(databaseDirectUrl ?? databaseUrl, Date.now)
  return plan(inspection?.migrations ?? [])
}

const count = ({ length }: readonly string[]): string =>
  length === 1 ? '1 migration' : `${length} migrations`

const list = (names: readonly string[]): string => names.map((name) => `  ${name}`).join('\n')
