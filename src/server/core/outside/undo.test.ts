import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs, secondMs } from '#contract/durations.ts'
import { undoWindowMs } from '#contract/requests/requests.ts'
import {
  askUntilManager,
  passTime,
  setUpOutsideReceivers,
} from '../../../../test/support/outside/outside-receivers.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import type { Ctx } from '../ctx.ts'
import { OutsideAlertSender } from './sender.ts'

const outside = setUpOutsideReceivers()

type Message = Parameters<Awaited<ReturnType<typeof connectScreen>>['request']>[0]

/** A restaurant that alerts those outside a minute after the manager, and a crew member who acts in it. */
async function setUpRestaurant() {
  const { app, web } = outside
  const restaurant = await app.restaurant({ tables: ['7', '8'] })
  const { owner, device } = restaurant
  await owner.ok(api.outsideAlerts.setDelay, { body: { afterMs: minuteMs } })
  const address = `${web.url}/hook`
  await owner.ok(api.outsideAlerts.addChannel, { body: { kind: 'webhook', address } })
  /** Each time on a new connection: the clock is advanced further than a silent one is kept. */
  const act = async (...messages: Message[]) => {
    const screen = await connectScreen(device)
    for (const message of messages) expect(await screen.request(message)).toMatchObject({ type: 'ack' })
    screen.close()
  }
  return { app, web, restaurant, act }
}

/** A request of table 7 whose alert outside is due, and whose end can be undone for the last time. */
async function endRequest(how: 'a completion' | 'a move of its party') {
  const { app, web, restaurant, act } = await setUpRestaurant()
  const isMove = how === 'a move of its party'
  // The older one goes on for both tables.
  if (isMove) await askUntilManager(app, restaurant, '8')
  const id = await askUntilManager(app, restaurant, '7')
  await passTime(app, minuteMs - secondMs)
  await act(
    isMove ? { type: 'move-party', id: 'move', from: '7', to: '8' } : { type: 'complete-request', id },
  )
  app.advance(undoWindowMs)
  web.received.length = 0
  const undo = () => act(isMove ? { type: 'undo-party-move', id: 'move' } : { type: 'reopen-request', id })
  return { undo }
}

const tablesTold = () => outside.web.received.map(({ body }) => JSON.parse(body).data.table)

/** The alert outside is due, and `meanwhile` happens between the sender's look at the request and its write. */
async function sendDueWhile(meanwhile: () => Promise<void>): Promise<void> {
  const { app } = outside
  let writes = 0
  const ctx: Ctx = {
    ...app.ctx,
    async trace(name, work) {
      // The first one takes the channel.
      if (name.startsWith('write') && ++writes === 2) await meanwhile()
      return app.ctx.trace(name, work)
    },
  }
  await new OutsideAlertSender(() => ctx).sendDue()
  await app.whenIdle()
  expect(writes).toBeGreaterThan(1)
}

describe.each(['a completion', 'a move of its party'] as const)(
  'the alert outside of a request whose end by %s is undone at the last moment',
  (how) => {
    it('goes out when the undo comes just before it would be given up', async () => {
      const { undo } = await endRequest(how)
      await sendDueWhile(undo)
      await passTime(outside.app, minuteMs)
      expect(tablesTold()).toEqual(['7'])
    })

    it('goes out when the undo comes just after it was given up', async () => {
      const { undo } = await endRequest(how)
      await outside.app.ctx.outsideAlerts.sendDue()
      await outside.app.whenIdle()
      expect(tablesTold()).toEqual([])
      await undo()
      await passTime(outside.app, minuteMs)
      expect(tablesTold()).toEqual(['7'])
    })
  },
)

it('alerts those outside for each request at its own time after the undo of a move that had joined them', async () => {
  const { app, web, restaurant, act } = await setUpRestaurant()
  const body = { restaurantId: restaurant.name, tableNumber: '8', serviceType: 'check' } as const
  const { id } = (await app.browser().ok(api.requests.send, { body })).request
  await act({ type: 'accept-request', id })
  await askUntilManager(app, restaurant, '7')
  // The older one reaches the manager later, because somebody was on the way to it.
  await act({ type: 'release-request', id })
  for (let level = 1; level <= 2; level++) await passTime(app, 25 * secondMs)
  await act({ type: 'move-party', id: 'move', from: '7', to: '8' }, { type: 'undo-party-move', id: 'move' })
  web.received.length = 0
  await passTime(app, 10 * secondMs)
  expect(tablesTold()).toEqual(['7'])
  await passTime(app, 50 * secondMs - 1)
  expect(tablesTold()).toEqual(['7'])
  await passTime(app, 1)
  expect(tablesTold()).toEqual(['7', '8'])
})
