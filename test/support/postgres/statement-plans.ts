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
  return database.transact(async (db) => {
    const query = async (text: string, parameters: unknown[] = []): Promise<string[]> => {
      const { rows } = await db.executeQuery<{ detail?: string; queryPlan?: string }>(
        CompiledQuery.raw(text, parameters),
      )
      return rows.flatMap((row) => row.detail ?? Object.values(row))
    }
    if (database.engine === 'sqlite') {
      const compiled = statement.forSqlite(sqliteDialect)
      return query(
        `explain query plan ${compiled.sql}`,
        bindParameters(compiled, () => null),
      )
    }
    const compiled = statement.forPostgres(postgresDialect)
    const values = bindParameters(compiled, () => '{}').map((value) =>
      typeof value === 'string' ? `'${value}'` : 'null',
    )
    await query(`prepare explained as ${compiled.sql}`)
    const steps = await query(`explain execute explained(${values.join(', ')})`)
    await query('deallocate explained')
    return steps
  })
}
