import { existsSync } from 'node:fs'
import { createSecrets } from '../adapters/secrets.ts'
import { createUuidV7Generator } from '../adapters/uuid-v7.ts'
import type { Config } from '../config.ts'
import type { OperatorCtx } from '../core/accounts/recovery/reset-link.ts'
import { openDatabase } from '../storage/engine/database.ts'
import { toFilePath } from '../storage/engine/sqlite/sqlite.ts'
import { CommandError } from './output.ts'

export const silentLog = { info() {}, warn() {}, error() {} }
export const silentMetrics = { busAnswered() {}, retried() {} }

/** Opens the database for a command while no server does it. */
export async function openForOperator({
  databaseUrl,
  databaseDirectUrl,
}: Config): Promise<AsyncDisposable & { ctx: OperatorCtx }> {
  requireDatabaseFile(databaseUrl)
  const db = await openDatabase(databaseUrl, { directUrl: databaseDirectUrl })
  const ctx = {
    db,
    now: Date.now,
    newId: createUuidV7Generator(Date.now),
    secrets: createSecrets(),
    log: silentLog,
  }
  return { ctx, [Symbol.asyncDispose]: () => db.close() }
}

/** Opening a missing database would create an empty one. */
export function requireDatabaseFile(databaseUrl: string): void {
  if (databaseUrl.startsWith('file:') && !existsSync(toFilePath(databaseUrl)))
    throw new CommandError(
      `There is no database at ${toFilePath(databaseUrl)}. Please run this where the server runs.`,
    )
}
