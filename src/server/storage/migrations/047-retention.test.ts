import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { emptyDatabase } from '../../../../test/support/database.ts'
import { openTestDatabase, temporaryUrl } from '../../../../test/support/notes-schema.ts'
import { migrations } from './index.ts'

it('goes on removing messages after 30 days where that was the rule', async () => {
  const url = await temporaryUrl(emptyDatabase)
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '047'))
  const old = await openTestDatabase(url, { migrations: before })
  await old.transact(async (db) => {
    await sql`insert into restaurant (id, name, time_zone, code_generation, code_key, created_at)
      values ('v', 'v', 'UTC', 1, 'v', 1)`.execute(db)
  })
  await old.close()
  const { reader } = await openTestDatabase(url, { migrations })
  const rows = await reader
    .selectFrom('retention')
    .select(['restaurantId', 'requestDays', 'messageDays', 'logDays', 'runAt'])
    .execute()
  expect(rows).toEqual([{ restaurantId: 'v', requestDays: null, messageDays: 30, logDays: null, runAt: 0 }])
})
