import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { defaultEscalation } from '#contract/requests/escalation.ts'
import { setUpApp } from '../../../../test/support/app.ts'
import type { Restaurant } from '../../../../test/support/restaurants/busy-restaurant.ts'
import { write } from '../transaction.ts'

const app = setUpApp()

async function actionsOf(owner: Restaurant['owner']): Promise<string[]> {
  const { entries } = await owner.ok(api.audit.list, {})
  return entries.map(({ action }) => action)
}

it('shows who changed what, newest first, to the owner only', async () => {
  const { owner, device } = await app.restaurant({ tables: ['1', '2'] })
  const other = await app.restaurant()
  const [table] = await owner.ok(api.floor.tables, {})
  const maya = await owner.ok(api.crew.add, { body: { name: 'Maya Lopez', role: 'Server' } })
  await owner.ok(api.floor.assign, {
    body: { date: '2026-11-22', assignments: [{ tableId: table?.id ?? '', crewMemberId: maya.id }] },
  })
  await owner.ok(api.crew.change, { params: { id: maya.id }, body: { pin: '4711' } })
  await owner.ok(api.escalation.setSettings, { body: defaultEscalation })
  await owner.ok(api.crew.remove, { params: { id: maya.id } })

  const { entries } = await owner.ok(api.audit.list, {})
  expect(entries.map(({ action, detail, actorName }) => [action, detail, actorName]).slice(0, 6)).toEqual([
    ['crew.remove', { name: 'Maya Lopez' }, 'owner@example.com'],
    ['ladder.setSettings', { settings: expect.any(Array) }, 'owner@example.com'],
    ['crew.change', { name: 'Maya Lopez', changed: ['pin'] }, 'owner@example.com'],
    ['floor.assign', { date: '2026-11-22', assignments: ['1: Maya Lopez'] }, 'owner@example.com'],
    ['crew.add', { name: 'Maya Lopez', role: 'Server' }, 'owner@example.com'],
    ['floor.setUp', { added: ['1', '2'] }, 'owner@example.com'],
  ])
  expect(JSON.stringify(entries)).not.toContain('4711')
  expect((await device.call(api.audit.list, {})).status).toBe(403)
  expect(await actionsOf(other.owner)).not.toContain('crew.remove')
})

it('records nothing that was refused', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const before = await actionsOf(owner)
  expect((await owner.call(api.floor.addTable, { body: { tableNumber: '1' } })).status).toBe(409)
  expect(await actionsOf(owner)).toEqual(before)
})

it('the audit log is read page by page, and downloaded as a whole', async () => {
  const { name, owner } = await app.restaurant()
  for (let n = 1; n <= 60; n++) await owner.ok(api.floor.addTable, { body: { tableNumber: `${n}` } })
  const newest = await owner.ok(api.audit.list, {})
  expect([newest.entries.length, newest.hasOlder]).toEqual([50, true])
  const before = newest.entries.at(-1)?.id ?? ''
  const older = await owner.ok(api.audit.list, { query: { before } })
  const added = [...newest.entries, ...older.entries].filter(({ action }) => action === 'floor.addTable')
  expect(added.map(({ detail }) => detail['tableNumber'])).toEqual(
    Array.from({ length: 60 }, (_, index) => `${60 - index}`),
  )

  const file = await owner.fetch(api.audit.download.path)
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await file.arrayBuffer())
  expect(file.headers.get('content-disposition')).toContain(`${name}-audit-log.csv`)
  const lines = text.trimEnd().split('\r\n')
  expect(lines[0]).toBe('\uFEFFat_utc,actor_kind,actor_name,action,detail')
  expect(lines.filter((line) => line.includes('floor.addTable'))).toHaveLength(60)
})

it('the audit log cannot be changed, and is deleted with the restaurant', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const id = await app.idOf(restaurant)
  const count = async () =>
    (await app.ctx.db.reader.selectFrom('auditEntry').select('id').where('restaurantId', '=', id).execute())
      .length
  await expect(
    write(app.ctx, ({ db }) => sql`update audit_entry set actor_name = 'nobody'`.execute(db)),
  ).rejects.toThrow('audit entries are never changed')
  expect(await count()).toBeGreaterThan(0)
  await write(app.ctx, ({ db }) => db.deleteFrom('restaurant').where('id', '=', id).execute())
  expect(await count()).toBe(0)
})
