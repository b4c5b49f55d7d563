import { existsSync } from 'node:fs'
import { createSecrets } from '../src/server/adapters/secrets.ts'
import { createUuidV7Generator } from '../src/server/adapters/uuid-v7.ts'
import { ConfigError, readConfig } from '../src/server/config.ts'
import { requestResetLink, controlPath } from '../src/server/control-socket.ts'
import * as resetLink from '../src/server/core/accounts/reset-link.ts'
import { openDatabase } from '../src/server/storage/engine/database.ts'
import { DatabaseOpenError } from '../src/server/storage/engine/errors.ts'
import { DataFolderInUse, toFilePath } from '../src/server/storage/engine/sqlite.ts'

class UserError extends Error {}

/**
 * Prints a one-time link for setting a new owner password. The server may be running or stopped:
 *   npm run reset-password -- The Copper Pot
 *   npm run reset-password -- owner@example.com
 */
const named = process.argv.slice(2).join(' ').trim()
try {
  if (named === '') throw new UserError('Please name a restaurant or its owner’s e-mail address')
  console.log(describeLink(await createLink(named)))
} catch (error) {
  console.error(describeError(error))
  process.exitCode = 1
}

async function createLink(query: string): Promise<resetLink.ResetLink> {
  const { databaseUrl, publicUrl } = readConfig()
  const path = controlPath(databaseUrl)
  const answer = path === null ? undefined : await requestResetLink(path, query)
  if (answer) return answer
  // Opening a missing database would create an empty one.
  if (databaseUrl.startsWith('file:') && !existsSync(toFilePath(databaseUrl)))
    throw new UserError(
      `There is no database at ${toFilePath(databaseUrl)}. Please run this where the server runs.`,
    )
  const db = await openDatabase(databaseUrl)
  try {
    const silent = { info() {}, warn() {}, error() {} }
    const ctx = {
      db,
      now: Date.now,
      newId: createUuidV7Generator(Date.now),
      secrets: createSecrets(),
      log: silent,
    }
    return await resetLink.create(ctx, publicUrl, query)
  } finally {
    await db.close()
  }
}

function describeLink(made: resetLink.ResetLink): string {
  switch (made.kind) {
    case 'made':
      return `Open this within 30 minutes to set a new password for the owner of ${made.restaurantName}. It works once.\n\n${made.link}\n`
    case 'unknown':
      throw new UserError(`There is no restaurant and no owner's e-mail address "${named}"`)
    case 'several':
      throw new UserError(
        `Several restaurants belong to "${named}". Please name one of them:\n${made.restaurantNames.map((name) => `  ${name}`).join('\n')}`,
      )
  }
}

function describeError(error: unknown): unknown {
  if (error instanceof UserError || error instanceof DatabaseOpenError) return error.message
  if (error instanceof ConfigError) return `Please correct these settings:\n${error.message}`
  if (error instanceof DataFolderInUse)
    return `${error.message}\nIt does not answer here. Please stop it, and run this again.`
  return error
}
