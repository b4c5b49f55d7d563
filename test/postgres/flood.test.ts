import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { escalateDueRequests } from '../../src/server/core/requests/escalation/escalation.ts'
import { startTestApp } from '../support/app.ts'

const due = 200
const taps = 100

it('gives a screen its lists, and guests their answers, while due alerts of an outage still wait', async () => {
  const app = await startTestApp({ guestLimits: false })
  onTestFinished(() => app.stop())
  const { name, owner, device } = await app.restaurant()
  const { id: crewMemberId } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const tap = (serviceType: 'drinks' | 'check', tableNumber: number) =>
    app.browser().ok(api.requests.send, {
      body: { id: randomUUID(), restaurantId: name, tableNumber: `${tableNumber}`, serviceType },
    })
  for (let table = 0; table < due; table += 50)
    await Promise.all(Array.from({ length: 50 }, (_, index) => tap('drinks', table + index)))
  const screen = await device.connect()
  app.advance(minuteMs)

  let raised = 0
  app.ctx.commitListeners.push((events) => {
    raised += events.filter(
      ({ topic, message }) => topic.kind === 'staff' && message.type === 'request-updated',
    ).length
  })
  const escalated = escalateDueRequests(app.ctx)
  const tapped = Promise.all(Array.from({ length: taps }, (_, table) => tap('check', table)))
  await screen.request({
    type: 'resume',
    messages: [
      { type: 'set-restaurant-context', restaurantId: name },
      { type: 'set-crew-member-context', crewMemberId },
      { type: 'get-pending-requests' },
      { type: 'get-team-messages' },
    ],
  })
  expect(screen.received.map(({ type }) => type)).toContain('pending-requests')
  const raisedBeforeList = raised
  await tapped
  const raisedBeforeTaps = raised
  await escalated
  expect(raisedBeforeList).toBeLessThan(due / 2)
  expect(raisedBeforeTaps).toBeLessThan(due)
  expect(raised).toBe(due)
})
