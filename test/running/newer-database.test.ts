import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import { freshDatabase } from '../support/database.ts'
import { tableside } from '../support/servers/command-line.ts'
import { startServer } from '../support/servers/server-process.ts'

it('a server says in words that its database comes from a newer version, and so do commands', async () => {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  const database = await openDatabase(url)
  await database.transact((db) =>
    sql`insert into kysely_migration (name, timestamp) values ('999-later', '2027-01-01T00:00:00.000Z')`.execute(
      db,
    ),
  )
  await database.close()
  const problem = `The database comes from a newer version of Tableside, which this one cannot run:
  999-later
`
  await expect(startServer(url)).rejects.toThrow(
    expect.objectContaining({
      message: `the server did not start: ${problem}Please start that version, or restore an older backup into another folder or database
ended by itself: 1`,
    }),
  )
  const env = { DATABASE_URL: url }
  expect(await tableside(['reset-password', 'Blue Door'], env)).toEqual({ code: 1, out: '', err: problem })
  expect(await tableside(['migrate'], env)).toEqual({ code: 1, out: '', err: problem })
})
