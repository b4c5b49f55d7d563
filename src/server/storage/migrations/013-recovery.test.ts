import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { emptyDatabase } from '../../../../test/support/database.ts'
import { openTestDatabase, temporaryUrl } from '../../../../test/support/notes-schema.ts'
import * as ownerNotices from '../accounts/owner-notices.ts'
import { migrations } from './index.ts'

it('keeps the notice that a device set up the first manager, unless it was dismissed', async () => {
  const url = await temporaryUrl(emptyDatabase)
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '013'))
  const old = await openTestDatabase(url, { migrations: before })
  await old.transact(async (db) => {
    for (const [id, setUpAt] of Object.entries({ told: 7, dismissed: null })) {
      await sql`insert into restaurant (id, name, time_zone, code_generation, code_key, created_at, device_set_up_at)
        values (${id}, ${id}, 'UTC', 1, '', 1, ${setUpAt})`.execute(db)
    }
  })
  await old.close()
  const { reader } = await openTestDatabase(url, { migrations })
  expect(await ownerNotices.list(reader, 'told')).toEqual([
    { restaurantId: 'told', id: 'device-set-up', at: 7, kind: 'manager-set-up-by-device', about: null },
  ])
  expect(await ownerNotices.list(reader, 'dismissed')).toEqual([])
})
