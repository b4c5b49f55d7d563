import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { emptyDatabase } from '../../../../test/support/database.ts'
import { openTestDatabase, temporaryUrl } from '../../../../test/support/notes-schema.ts'
import { migrations } from './index.ts'

it('keeps logins from before grants had a restaurant, and removes overlapping ones', async () => {
  const url = await temporaryUrl(emptyDatabase)
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '011'))
  const old = await openTestDatabase(url, { migrations: before })
  await old.transact(async (db) => {
    for (const id of ['v', 'w']) {
      await sql`insert into restaurant (id, name, time_zone, code_generation, code_key, created_at)
        values (${id}, ${id}, 'UTC', 1, ${id}, 1)`.execute(db)
      await db
        .insertInto('manager')
        .values({
          restaurantId: id,
          id: `manager-${id}`,
          username: 'm',
          usernameKey: 'm',
          passwordHash: '',
          setAt: 1,
        })
        .execute()
    }
    const owner = { emailKey: '', email: '', passwordHash: null, oidcIssuer: null, oidcSubject: null }
    await db
      .insertInto('owner')
      .values([
        { ...owner, id: 'owner-w', restaurantId: 'w', createdAt: 1 },
        { ...owner, id: 'owner-new', restaurantId: null, createdAt: 1 },
      ])
      .execute()
    const session = (id: string, restaurantId: string | null) => ({
      id,
      tokenHash: id,
      restaurantId,
      createdAt: 1,
    })
    await db
      .insertInto('session')
      .values([session('sv', 'v'), session('sw', 'w'), session('s', null)])
      .execute()
    for (const [id, kind, subject] of [
      ['sv', 'device', 'v'],
      ['sv', 'manager', 'manager-v'],
      ['sv', 'owner', 'owner-w'],
      ['sw', 'owner', 'owner-w'],
      ['sw', 'manager', 'manager-v'],
      ['s', 'owner', 'owner-new'],
    ])
      await sql`insert into session_grant values (${id}, ${kind}, ${subject}, 1, 2, 3)`.execute(db)
  })
  await old.close()

  const { reader } = await openTestDatabase(url, { migrations })
  const rows = await reader
    .selectFrom('sessionGrant')
    .select(['sessionId', 'kind', 'restaurantId'])
    .orderBy('sessionId')
    .orderBy('kind')
    .execute()
  expect(rows).toEqual([
    { sessionId: 's', kind: 'owner', restaurantId: null },
    { sessionId: 'sv', kind: 'device', restaurantId: 'v' },
    { sessionId: 'sv', kind: 'manager', restaurantId: 'v' },
    { sessionId: 'sw', kind: 'owner', restaurantId: 'w' },
  ])
})
