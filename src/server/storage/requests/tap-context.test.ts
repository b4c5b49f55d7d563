import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp } from '../../../../test/support/app.ts'
import { statements } from '../engine/statement.ts'
import { loadTapContext } from './tap-context.ts'

it('reads what an owner wrote at length once, and nothing of it that a tap does not need', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.stop())
  const restaurant = await app.restaurant({ tables: ['7'] })
  const restaurantId = await app.idOf(restaurant)
  const { id: crewMemberId } = await restaurant.owner.ok(api.crew.add, {
    body: { name: 'Maya', role: 'Server' },
  })
  const [table] = await restaurant.owner.ok(api.floor.tables, {})
  const now = Date.UTC(2026, 4, 2, 12)
  const days = ['2026-05-01', '2026-05-02', '2026-05-03']
  const [needs, opening, guestCard] = ['[]', '{"hours":null,"pauses":[]}', '{"menu":"https://example.com"}']
  await app.ctx.db.transact(async (db) => {
    await db
      .updateTable('restaurant')
      .set({ needs, opening, guestCard })
      .where('id', '=', restaurantId)
      .execute()
    await db
      .insertInto('tableAssignment')
      .values(days.map((date) => ({ restaurantId, date, tableId: table?.id ?? '', slot: '', crewMemberId })))
      .execute()
  })
  const tap = {
    id: 'tap',
    restaurantNameKey: restaurant.name.toLowerCase(),
    tableKey: '7',
    guestId: null,
    serviceType: 'check' as const,
    now,
  }
  // Half a day before `now`, and fourteen hours after it.
  const around = { firstDay: '2026-05-02', lastDay: '2026-05-03' }
  const statement = statements.find(({ name }) => name === 'tap-context')
  if (!statement) throw new Error('No such statement')
  const rows = await app.ctx.db.reader.run(statement, { ...tap, ...around })
  expect(rows).toMatchObject([
    { day: '2026-05-02', needs, opening },
    { day: '2026-05-03', needs: null, opening: null },
  ])
  for (const row of rows)
    expect(Object.keys(row as object)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/guestCard|managerNotes|staffPassword/)]),
    )

  const context = await loadTapContext(app.ctx.db.reader, tap)
  expect(context?.restaurant).toMatchObject({ id: restaurantId, needs, opening })
  expect(context?.crew.map(({ day }) => day)).toEqual(['2026-05-02', '2026-05-03'])
  // A table to which nobody is assigned.
  const unassigned = await loadTapContext(app.ctx.db.reader, { ...tap, now: Date.UTC(2027, 0, 1) })
  expect(unassigned).toMatchObject({ restaurant: { needs, opening }, crew: [] })
})
