import { expect, it } from 'vitest'
import { dayMs, hourMs, minuteMs } from '#contract/durations.ts'
import { setUpApp } from '../../../../test/support/app.ts'
import { insertClosedRequests } from '../../../../test/support/restaurants/closed-requests.ts'
import * as endings from '../../storage/accounts/restaurant-endings.ts'
import * as deliveries from '../../storage/push/push-deliveries.ts'
import * as pushSubscriptions from '../../storage/push/push-subscriptions.ts'
import * as settings from '../../storage/settings.ts'
import type { Ctx } from '../ctx.ts'
import { write } from '../transaction.ts'
import { removeExpiredData, removeExpiredDataIfDue } from './retention.ts'

const app = setUpApp()

/** A server for which `before` is called ahead of each transaction, with how many there were. */
function watched(before: (transactions: number) => Promise<void> | void): Ctx {
  let transactions = 0
  return {
    ...app.ctx,
    trace: async (_name, work) => {
      await before(transactions++)
      return await work()
    },
  }
}

it('whatever cannot be removed keeps nothing else from being removed', async () => {
  const { name } = await app.restaurant({ tables: ['1'] })
  const restaurantId = await app.idOf({ name })
  const { reader } = app.ctx.db
  const expire = async (): Promise<void> => {
    const ended = await app.idOf(await app.restaurant())
    await insertClosedRequests(app.ctx, restaurantId, { count: 1, at: app.now() })
    await write(app.ctx, async ({ db }) => {
      await db
        .updateTable('serviceRequest')
        .set((e) => ({ note: 'no nuts', noteAt: e.ref('createdAt') }))
        .execute()
      const visit = { restaurantId, guestId: app.ctx.newId(), tableKey: '1', startedAt: app.now() }
      await db.insertInto('guestVisit').values(visit).execute()
      await endings.insert(db, { restaurantId: ended, kind: 'deleted', eraseAt: app.now() })
    })
    app.advance(dayMs)
  }
  const kept = async (): Promise<string[]> => {
    const notes = await reader
      .selectFrom('serviceRequest')
      .select('note')
      .where('note', 'is not', null)
      .execute()
    const visits = await reader.selectFrom('guestVisit').select('guestId').execute()
    const ended = await reader.selectFrom('restaurantEnding').select('restaurantId').execute()
    return [...notes.map(() => 'note'), ...visits.map(() => 'visit'), ...ended.map(() => 'restaurant')]
  }
  const failing = (failed: number): Promise<'failed' | 'ended'> =>
    removeExpiredData(
      watched((transactions) => {
        if (transactions === failed) throw new Error('Somebody holds a row')
      }),
    ).then(
      () => 'ended',
      () => 'failed',
    )
  const found = new Set<string>()
  let outcome = 'failed'
  for (let failed = 0; outcome === 'failed'; failed++) {
    await expire()
    outcome = await failing(failed)
    const left = await kept()
    expect(left.length, `after transaction ${failed} had failed: ${left.join(', ')}`).toBeLessThan(2)
    for (const kind of left) found.add(kind)
    await removeExpiredData(app.ctx)
    expect(await kept()).toEqual([])
  }
  expect([...found].toSorted()).toEqual(['note', 'restaurant', 'visit'])
})

it('many guests’ notes are forgotten in steps, between which others write', async () => {
  const restaurantId = await app.idOf(await app.restaurant({ tables: ['1'] }))
  const count = 1_700
  for (let n = 0; n < count; n += 100)
    await insertClosedRequests(app.ctx, restaurantId, { count: 100, at: app.now() + n })
  const noted = app.ctx.db.reader.selectFrom('serviceRequest').select('id').where('note', 'is not', null)
  await write(app.ctx, ({ db }) =>
    db
      .updateTable('serviceRequest')
      .set((e) => ({ note: 'no nuts', noteAt: e.ref('createdAt') }))
      .where('restaurantId', '=', restaurantId)
      .execute(),
  )
  app.advance(dayMs + count)
  const left: number[] = []
  await removeExpiredData(
    watched(async () => {
      left.push((await noted.execute()).length)
    }),
  )
  expect(left.slice(0, 4)).toEqual([1_700, 1_200, 700, 200])
  expect(left.at(4)).toBe(0)
})

it('what phones were sent goes a day after it expired, and what is due to one that is gone at once', async () => {
  const { reader } = app.ctx.db
  const restaurantId = await app.idOf(await app.restaurant())
  const { id: sessionId } = await reader
    .selectFrom('session')
    .select('id')
    .where('restaurantId', '=', restaurantId)
    .limit(1)
    .executeTakeFirstOrThrow()
  const at = app.now()
  const device = { restaurantId, id: 'phone', sessionId, crewMemberId: null, audience: 'crew' as const }
  const keys = { endpoint: 'https://push.example/phone', p256dh: 'p', auth: 'a', createdAt: at, seenAt: at }
  const sent = {
    restaurantId,
    payload: '{}',
    urgency: 'high' as const,
    stays: 1,
    attempts: 0,
    sender: null,
    audience: null,
    crewMemberId: null,
  }
  await write(app.ctx, async ({ db }) => {
    await pushSubscriptions.put(db, { ...device, ...keys })
    await deliveries.put(
      db,
      ['phone', 'gone'].flatMap((subscriptionId) =>
        [null, at].map((nextAt) => {
          const id = `${nextAt === null ? 'shown' : 'due'} ${subscriptionId}`
          return { ...sent, subscriptionId, tag: id, id, until: at + hourMs, nextAt }
        }),
      ),
    )
  })
  const kept = async (): Promise<string[]> => {
    await removeExpiredData(app.ctx)
    const rows = await reader
      .selectFrom('pushDelivery')
      .select('id')
      .where('restaurantId', '=', restaurantId)
      .execute()
    return rows.map(({ id }) => id).toSorted()
  }
  expect(await kept()).toEqual(['due phone', 'shown gone', 'shown phone'])
  app.advance(dayMs + hourMs - 1)
  expect(await kept()).toEqual(['due phone', 'shown gone', 'shown phone'])
  app.advance(1)
  expect(await kept()).toEqual([])
})

it('a server that stops removes nothing more, and the next run does', async () => {
  const restaurantId = await app.idOf(await app.restaurant({ tables: ['1'] }))
  const visit = { restaurantId, guestId: app.ctx.newId(), tableKey: '1', startedAt: app.now() }
  await write(app.ctx, ({ db }) => db.insertInto('guestVisit').values(visit).execute())
  app.advance(dayMs)
  const server = new AbortController()
  await removeExpiredData({ ...watched(() => server.abort()), stopping: server.signal })
  const visits = app.ctx.db.reader.selectFrom('guestVisit').selectAll()
  expect(await visits.execute()).toHaveLength(1)
  await removeExpiredData(app.ctx)
  expect(await visits.execute()).toEqual([])
})

it('of several processes one removes what is no longer kept, and every ten minutes again', async () => {
  const runs = async (): Promise<number> => {
    const transactions = [0, 0, 0]
    await Promise.all(
      transactions.map((_, index) =>
        removeExpiredDataIfDue(
          watched((before) => {
            transactions[index] = before + 1
          }),
        ),
      ),
    )
    // Whoever tries to begin writes once.
    return transactions.filter((count) => count > 1).length
  }
  expect(await runs()).toBe(1)
  expect(await runs()).toBe(0)
  app.advance(8 * minuteMs)
  expect(await runs()).toBe(0)
  app.advance(minuteMs)
  expect(await runs()).toBe(1)
  // A server whose clock was wrong keeps nobody from it.
  await write(app.ctx, ({ db }) => settings.put(db, 'retention', String(app.now() + 2 * hourMs)))
  expect(await runs()).toBe(1)
  expect(await runs()).toBe(0)
})
