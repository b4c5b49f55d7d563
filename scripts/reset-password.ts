import { existsSync } from 'node:fs'
import { nodeSecrets, newUuidV7 } from '../src/server/adapters/secrets.ts'
import { ConfigError, readConfig } from '../src/server/config.ts'
import { askServer, controlPath } from '../src/server/control-socket.ts'
import * as resetLink from '../src/server/core/reset-link.ts'
import { openDatabase } from '../src/server/storage/database.ts'
import { DatabaseNotOpened } from '../src/server/storage/not-opened.ts'
import { DataFolderInUse, pathOf } from '../src/server/storage/sqlite.ts'

class Problem extends Error {}

/**
 * Prints a one-time link with which an owner sets a new password. The server may run or be stopped:
 *   npm run reset-password -- The Copper Pot
 *   npm run reset-password -- owner@example.com
 */
const named = process.argv.slice(2).join(' ').trim()
try {
  if (named === '') throw new Problem('Please name a restaurant or its owner’s e-mail address')
  console.log(inWords(await makeLink(named)))
} catch (error) {
  console.error(problemOf(error))
  process.exitCode = 1
}

async function makeLink(named: string): Promise<resetLink.ResetLink> {
  const { databaseUrl, publicUrl } = readConfig()
  const path = controlPath(databaseUrl)
  const answer = path === null ? undefined : await askServer(path, named)
  if (answer) return answer
  // Opening what is not there would make an empty one.
  if (databaseUrl.startsWith('file:') && !existsSync(pathOf(databaseUrl)))
    throw new Problem(
      `There is no database at ${pathOf(databaseUrl)}. Please run this where the server runs.`,
    )
  const db = await openDatabase(databaseUrl)
  try {
    const silent = { info() {}, warn() {}, error() {} }
    const means = { db, now: Date.now, newId: newUuidV7(Date.now), secrets: nodeSecrets(), log: silent }
    return await resetLink.create(means, publicUrl, named)
  } finally {
    await db.close()
  }
}

function inWords(made: resetLink.ResetLink): string {
  switch (made.kind) {
    case 'made':
      return `Open this within 30 minutes to set a new password for the owner of ${made.restaurantName}. It works once.\n\n${made.link}\n`
    case 'unknown':
      throw new Problem(`There is no restaurant and no owner's e-mail address "${named}"`)
    case 'several':
      throw new Problem(
        `Several restaurants belong to "${named}". Please name one of them:\n${made.restaurantNames.map((name) => `  ${name}`).join('\n')}`,
      )
  }
}

function problemOf(error: unknown): unknown {
  if (error instanceof Problem || error instanceof DatabaseNotOpened) return error.message
  if (error instanceof ConfigError) return `Please correct these settings:\n${error.message}`
  if (error instanceof DataFolderInUse)
    return `${error.message}\nIt does not answer here. Please stop it, and run this again.`
  return error
}
