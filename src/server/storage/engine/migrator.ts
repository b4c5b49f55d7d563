import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { migrations as shipped } from '../migrations/index.ts'
import { NewerDatabase } from './errors.ts'

/** Runs those that are missing, in order of their names. */
export async function migrate(
  db: Kysely<unknown>,
  migrations: Record<string, Migration> = shipped,
): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    // Of two that were written at the same time, the one with the higher number may have run first.
    allowUnorderedMigrations: true,
  })
  const { error } = await migrator.migrateToLatest()
  if (isCalledCorrupted(error)) {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
    const unknown = rows.map(({ name }) => name).filter((name) => !(name in migrations))
    if (unknown.length > 0) throw new NewerDatabase(unknown)
  }
  if (error) throw error
}

/** What Kysely says of migrations that it does not know, before it changes anything. */
const isCalledCorrupted = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('corrupted migrations: ')

/** Those with these names, for a database of an older version. */
export const pickMigrations = (names: readonly string[]): Record<string, Migration> =>
  Object.fromEntries(Object.entries(shipped).filter(([name]) => names.includes(name)))

export type MigrationPlan = {
  done: string[]
  /** What the next start would run. */
  pending: string[]
  /** Only a newer version of the program knows them. */
  unknown: string[]
}

/** `executed`: the names that a database holds. */
export function planMigrations(executed: readonly string[]): MigrationPlan {
  const known = Object.keys(shipped).toSorted()
  return {
    done: known.filter((name) => executed.includes(name)),
    pending: known.filter((name) => !executed.includes(name)),
    unknown: executed.filter((name) => !known.includes(name)),
  }
}
