import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../../test/support/app.ts'
import { read, type Tx, write } from './transaction.ts'

const app = setUpApp()

/** Asks for all that a transaction does at its end, and tells what has come of it. */
async function openRestaurant() {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const body = { restaurantId: restaurant.name, tableNumber: '1', serviceType: 'drinks' } as const
  const { request } = await app.browser().ok(api.requests.send, { body })
  const restaurantId = await app.idOf(restaurant)
  const happened: string[] = []
  app.ctx.commitListeners.push((events) => {
    for (const { message } of events) happened.push(message.type)
  })
  const act = ({ announce, record, afterCommit }: Tx): void => {
    announce({ kind: 'staff', restaurantId }, { type: 'floor-changed' })
    record({ restaurantId, id: 'event', requestId: request.id, at: 0, kind: 'seen', ...nobody })
    afterCommit(() => happened.push('after'))
    happened.push('before')
  }
  const listHistory = async () => {
    const events = read(app.ctx).selectFrom('requestEvent').where('restaurantId', '=', restaurantId)
    return (await events.select('kind').orderBy('at', 'desc').execute()).map(({ kind }) => kind)
  }
  return { act, happened, listHistory }
}

const nobody = { actorKind: 'system', actorId: null, actorName: null } as const

it('announces, records and follows up what is committed', async () => {
  const { act, happened, listHistory } = await openRestaurant()
  await write(app.ctx, async (tx) => act(tx))
  expect(happened).toEqual(['before', 'floor-changed', 'after'])
  expect(await listHistory()).toEqual(['created', 'seen'])
})

it('announces, records and follows up nothing of what is rolled back', async () => {
  const { act, happened, listHistory } = await openRestaurant()
  const refused = write(app.ctx, async (tx) => {
    act(tx)
    throw new Error('refused')
  })
  await expect(refused).rejects.toThrow('refused')
  expect(happened).toEqual(['before'])
  expect(await listHistory()).toEqual(['created'])
})

it('refuses to read past a transaction, and to begin another inside it', async () => {
  await expect(write(app.ctx, async () => read(app.ctx))).rejects.toThrow('read() inside write()')
  await expect(write(app.ctx, () => write(app.ctx, async () => {}))).rejects.toThrow('write() inside write()')
})
