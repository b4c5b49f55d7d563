import { CompiledQuery } from 'kysely'
import {
  SnakeCasePostgresDialect,
  SnakeCaseSqliteDialect,
} from '../../../src/server/storage/engine/snake-case.ts'
import type { AnyStatement } from '../../../src/server/storage/engine/statement.ts'
import { bindParameters } from '../../../src/server/storage/engine/statement.ts'
import type { Database } from '../../../src/server/storage/engine/types.ts'

const compileOnly = () => {
  throw new Error('This dialect only compiles')
}
export const postgresDialect = new SnakeCasePostgresDialect({ pool: async () => compileOnly() })
export const sqliteDialect = new SnakeCaseSqliteDialect({ database: async () => compileOnly() })

/** One line for each step of the plan. */
export async function explain(database: Database, statement: AnyStatement): Promise<string[]> {
  if (database.engine === 'postgres')
    return explainPrepared(database, statement.forPostgres(postgresDialect).sql)
  const compiled = statement.forSqlite(sqliteDialect)
  const values = bindParameters(compiled, () => null)
  const { rows } = await database.transact((db) =>
    db.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${compiled.sql}`, values)),
  )
  return rows.map(({ detail }) => detail)
}

/** As PostgreSQL plans the text once for all parameters. */
export async function explainPrepared(database: Database, text: string): Promise<string[]> {
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/gu)].map(([, number]) => Number(number)))
  const parameters = count === 0 ? '' : `(${Array.from({ length: count }, () => 'null').join(', ')})`
  return database.transact(async (db) => {
    const query = (each: string) => db.executeQuery<object>(CompiledQuery.raw(each))
    await query(`prepare explained as ${text}`)
    const { rows } = await query(`explain execute explained${parameters}`)
    await query('deallocate explained')
    return rows.flatMap((row) => Object.values(row).map(String))
  })
}
