import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { startPgBouncer } from '../support/postgres/pgbouncer.ts'
import { startPostgres } from '../support/postgres/postgres-cluster.ts'

const confirmsEarly = { synchronous_commit: 'off' }

it('waits for the disk even if the server confirms a COMMIT before', async () => {
  const server = await startPostgres({ settings: confirmsEarly })
  const app = await startTestApp({ databaseUrl: server.url })
  onTestFinished(() => app.stop())
  const { rows } = await app.ctx.db.transact((db) =>
    sql<{ value: string }>`select current_setting('synchronous_commit') as value`.execute(db),
  )
  expect(rows).toEqual([{ value: 'on' }])
})

it('warns of such a server behind a pooler, which takes no settings', async () => {
  const server = await startPostgres({ settings: confirmsEarly })
  const pooler = await startPgBouncer(server.url)
  onTestFinished(() => pooler.stop())
  const app = await startTestApp({ databaseUrl: pooler.url, databaseDirectUrl: server.url })
  onTestFinished(() => app.stop())
  const warnings = app.lines.filter((line) => line.includes('synchronous_commit'))
  expect(warnings.map((line) => JSON.parse(line).level)).toEqual(['warn'])
  app.lines.length = 0
})
