import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'

/** SQL on a database whose server is idle meanwhile; the texts are for both engines. */
export type Sql = {
  run(sql: string): Promise<void>
  ids(sql: string): Promise<string[]>
  close(): Promise<void>
}

export async function openSql(url: string): Promise<Sql> {
  if (url.startsWith('file:')) {
    const file = new DatabaseSync(url.slice('file:'.length), { timeout: 60_000 })
    file.exec('pragma synchronous = off; pragma foreign_keys = off')
    return {
      run: async (sql) => file.exec(sql),
      ids: async (sql) =>
        file
          .prepare(sql)
          .all()
          .map(({ id }) => String(id)),
      close: async () => {
        file.exec('pragma wal_checkpoint(truncate)')
        file.close()
      },
    }
  }
  const client = new Client(url)
  await client.connect()
  // Without checks of foreign keys, which take most of the time; only a superuser may.
  await client.query('set session_replication_role = replica').catch(() => {})
  return {
    run: async (sql) => void (await client.query(sql)),
    ids: async (sql) => (await client.query<{ id: string }>(sql)).rows.map(({ id }) => id),
    close: async () => {
      // Otherwise both would follow while something is measured.
      await client.query('vacuum analyze')
      await client.query('checkpoint')
      await client.end()
    },
  }
}

/** A different id for each number, in the order of the numbers. */
export const uuid = (number: string): string =>
  `'01900000-0000-7000-8000-' || substr(cast(1000000000000 + ${number} as text), 2)`

/** Begins a statement that reads `i` from `n`: all numbers from 0 up to the one before `to`. */
export const numbers = (to: number): string =>
  `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${to - 1})`

export const pick = (values: readonly string[], index: string): string =>
  `case ${index} ${values.map((value, position) => `when ${position} then '${value}'`).join(' ')} end`
