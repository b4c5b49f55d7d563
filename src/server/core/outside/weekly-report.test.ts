import { describe, expect, it } from 'vitest'
import { setUpOutsideReceivers } from '../../../../test/support/outside/outside-receivers.ts'
import { instantOf, startPastRestaurant } from '../../../../test/support/restaurants/past-restaurant.ts'
import * as endings from '../../storage/accounts/restaurant-endings.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Ctx } from '../ctx.ts'
import { write } from '../transaction.ts'
import * as channels from './channels.ts'
import { reportLines } from './report-text.ts'
import { nextReportAt, sendDueReports } from './weekly-report.ts'

const outside = setUpOutsideReceivers()
const address = 'office@example.com'

/** The clocks in New York go forward on Sunday, 9 March 2025. */
const wednesday = '2025-03-05T15:00:00Z'
const monday = '2025-03-10T11:00:00Z'
const nextMonday = '2025-03-17T11:00:00Z'

/** An owner in New York whose address is confirmed. */
async function openRestaurant() {
  const past = await startPastRestaurant(outside.app, 'America/New_York', wednesday, ['7', '8'])
  const at = (instant: string): Ctx => past.clock(instantOf(instant))
  const { owner } = past
  const { channel } = await channels.addChannel(at(wednesday), owner, { kind: 'email', address })
  const { id } = channel
  await channels.confirmChannel(at(wednesday), owner, { id, code: outside.lastCode() })
  outside.mails.received.length = 0
  return {
    ...past,
    at,
    change: (change: { alerts?: boolean; weeklyReport?: boolean }, instant = wednesday) =>
      channels.changeChannel(at(instant), owner, { id, ...change }),
    /** As several nodes do, at the same moment. */
    pass: async (instant: string) => {
      await Promise.all([
        sendDueReports(at(instant)),
        sendDueReports(at(instant)),
        sendDueReports(at(instant)),
      ])
    },
    outcome: async () => (await channels.settings(at(wednesday), owner)).channels[0]?.last,
  }
}

const sent = (): string[] => outside.mails.received.map(({ subject }) => subject)

describe('the weekly report', () => {
  it('is mailed to nobody until the owner wants it', async () => {
    const restaurant = await openRestaurant()
    await restaurant.pass(monday)
    await restaurant.change({ weeklyReport: true })
    expect(await restaurant.change({ weeklyReport: false })).toMatchObject({ weeklyReport: false })
    await restaurant.pass(monday)
    expect(sent()).toEqual([])
  })

  it('does not come from a restaurant that its owner has deleted', async () => {
    const restaurant = await openRestaurant()
    await restaurant.change({ weeklyReport: true })
    const { id: restaurantId } = restaurant
    const ending = { restaurantId, kind: 'deleted' as const, eraseAt: instantOf(nextMonday) }
    await write(outside.app.ctx, ({ db }) => endings.insert(db, ending))
    await restaurant.pass(monday)
    expect(sent()).toEqual([])
    await write(outside.app.ctx, ({ db }) => endings.restore(db, restaurantId))
    await restaurant.pass(monday)
    expect(sent()).toHaveLength(1)
  })

  it('comes once on Monday at seven by the restaurant’s clock, and says how the week was', async () => {
    const restaurant = await openRestaurant()
    const maya = await restaurant.join('Maya')
    expect(await restaurant.change({ weeklyReport: true })).toMatchObject({
      weeklyReport: true,
      alerts: true,
    })
    await restaurant.ask('2025-03-05T16:00:00Z', '7', 'drinks', {
      accepted: { after: 30, by: maya },
      completed: { after: 60, by: maya },
    })
    await restaurant.ask('2025-03-09T23:00:00Z', '8', 'check', { completed: { after: 150, by: maya } })
    // On Monday, and so of the next week.
    await restaurant.ask('2025-03-10T04:00:00Z', '8', 'check', { completed: { after: 10, by: maya } })

    await restaurant.pass('2025-03-10T10:59:59Z')
    expect(sent()).toEqual([])
    await restaurant.pass(monday)
    await restaurant.pass('2025-03-10T12:00:00Z')
    const { publicUrl } = outside.app.ctx.settings
    expect(outside.mails.received).toMatchObject([
      {
        to: [address],
        subject: `${restaurant.name}: Mar 3, 2025 to Mar 9, 2025`,
        text: `${restaurant.name}, Mar 3, 2025 to Mar 9, 2025 (America/New_York)

Requests: 2
Half waited at most: 30s
9 of 10 waited at most: 2m 30s
Answered within target: 1 of 2
Repeated asks: 0
“Still waiting”: 0
Called more people: 0
Cancelled: 0
Time with no listening screen: 109h, 3m of it while a guest waited

Where half of the guests waited longest:
Table 8: 2m 30s (1 request)
Table 7: 30s (1 request)

With charts, and to print: ${publicUrl}/management-dashboard/report
The owner chooses who gets this report: ${publicUrl}/admin-dashboard/alerts
`,
      },
    ])
    expect(await restaurant.outcome()).toMatchObject({ problem: null })

    await restaurant.pass('2025-03-17T10:59:59Z')
    expect(sent()).toHaveLength(1)
    await restaurant.pass(nextMonday)
    expect(sent()).toHaveLength(2)
    // Not all of the week before is known: its first guest came on Wednesday.
    expect(outside.mails.received[1]?.text).toContain('Requests: 1\n')

    for (const [instant, table] of [
      ['2025-03-18T16:00:00Z', '7'],
      ['2025-03-19T16:00:00Z', '8'],
    ] as const)
      await restaurant.ask(instant, table, 'drinks', { completed: { after: 60, by: maya } })
    await restaurant.pass('2025-03-24T11:00:00Z')
    expect(outside.mails.received[2]?.text).toContain('Requests: 2 (100% more than the week before)')
  })

  it('is tried again until the mail server takes it', async () => {
    const restaurant = await openRestaurant()
    await restaurant.change({ weeklyReport: true })
    outside.mails.refused.set(address, 'try later')
    await restaurant.pass(monday)
    expect(await restaurant.outcome()).toMatchObject({ problem: 'The mail server answered 550' })
    outside.mails.refused.clear()
    await restaurant.pass('2025-03-10T11:14:59Z')
    expect(sent()).toEqual([])
    await restaurant.pass('2025-03-10T11:15:00Z')
    await restaurant.pass('2025-03-10T12:00:00Z')
    expect(sent()).toHaveLength(1)
    expect(await restaurant.outcome()).toMatchObject({ problem: null })
  })

  it('is sent by another node when the one that began does not end', async () => {
    const restaurant = await openRestaurant()
    await restaurant.change({ weeklyReport: true })
    const ctx = restaurant.at(monday)
    const figures = () => Promise.reject(new Error('the node has died'))
    await expect(sendDueReports({ ...ctx, analytics: { ...ctx.analytics, figures } })).rejects.toThrow('died')
    await restaurant.pass('2025-03-10T11:04:59Z')
    expect(sent()).toEqual([])
    await restaurant.pass('2025-03-10T11:05:00Z')
    expect(sent()).toHaveLength(1)
  })

  it('does not come twice for a week whose Monday comes twice', async () => {
    const restaurant = await openRestaurant()
    await write(outside.app.ctx, ({ db }) => restaurants.setTimeZone(db, restaurant.id, 'Asia/Tokyo'))
    await restaurant.change({ weeklyReport: true })
    await restaurant.pass('2025-03-09T22:00:00Z')
    expect(sent()).toHaveLength(1)
    await write(outside.app.ctx, ({ db }) => restaurants.setTimeZone(db, restaurant.id, 'America/New_York'))
    await restaurant.pass('2025-03-16T22:00:00Z')
    expect(sent()).toHaveLength(1)
    await restaurant.pass(nextMonday)
    expect(sent()).toHaveLength(2)
  })

  it('can be sent at once to who gets it, and still comes on Monday', async () => {
    const restaurant = await openRestaurant()
    const { id } = await restaurant.change({ weeklyReport: false })
    const sendNow = (ctx = restaurant.at(wednesday)) => channels.sendReport(ctx, restaurant.owner, { id })
    await expect(sendNow()).rejects.toThrow('This address does not get the weekly report')
    await restaurant.change({ weeklyReport: true })
    await expect(sendNow({ ...restaurant.at(wednesday), mail: null })).rejects.toThrow('sends no email')
    expect(sent()).toEqual([])
    expect((await sendNow()).last).toMatchObject({ problem: null })
    const now = `${restaurant.name}: Feb 24, 2025 to Mar 2, 2025`
    expect(sent()).toEqual([now])
    outside.mails.refused.set(address, 'try later')
    expect((await sendNow()).last).toMatchObject({ problem: 'The mail server answered 550' })
    outside.mails.refused.clear()
    await restaurant.pass(monday)
    expect(sent()).toEqual([now, `${restaurant.name}: Mar 3, 2025 to Mar 9, 2025`])
  })

  it('waits while the operator has no mail server', async () => {
    const restaurant = await openRestaurant()
    await restaurant.change({ weeklyReport: true })
    await sendDueReports({ ...restaurant.at(monday), mail: null })
    await restaurant.pass(monday)
    expect(sent()).toHaveLength(1)
  })

  it('goes to confirmed email addresses only', async () => {
    const restaurant = await openRestaurant()
    const at = restaurant.at(wednesday)
    const { channel: unconfirmed } = await channels.addChannel(at, restaurant.owner, {
      kind: 'email',
      address: 'other@example.com',
    })
    const { channel: hook } = await channels.addChannel(at, restaurant.owner, {
      kind: 'webhook',
      address: outside.web.url,
    })
    const wanted = ({ id }: { id: string }) =>
      channels.changeChannel(at, restaurant.owner, { id, weeklyReport: true })
    await expect(wanted(unconfirmed)).rejects.toThrow('Please confirm this address first')
    await expect(wanted(hook)).rejects.toThrow('Only email addresses get the weekly report')
    await expect(wanted({ id: 'nobody' })).rejects.toThrow('Address not found')
  })

  it('names the slowest time of the week, in English', async () => {
    const restaurant = await openRestaurant()
    const ctx = restaurant.at(monday)
    const subject = {
      restaurantId: restaurant.id,
      createdAt: instantOf(wednesday),
      timeZone: 'America/New_York',
      today: '2025-03-10',
      now: instantOf(monday),
      scope: null,
    }
    const range = { from: '2025-03-03', to: '2025-03-09' }
    const figures = await ctx.analytics.figures({ kind: 'figures', subject, range })
    const slowest = (weekday: number, fromHour: number) =>
      reportLines('Old Mill', figures, {
        medianMs: 60_000,
        slowest: { weekday, fromHour, answered: 20, medianMs: 259_000 },
      })[2]
    expect(slowest(5, 19)).toBe('Saturdays 7 to 9 PM are slowest: half wait 4m 19s or longer.')
    expect(slowest(4, 11)).toBe('Fridays 11 AM to 1 PM are slowest: half wait 4m 19s or longer.')
    expect(slowest(6, 22)).toBe('Sundays 10 PM to 12 AM are slowest: half wait 4m 19s or longer.')
    expect(reportLines('Old Mill', figures, { medianMs: 60_000, slowest: null })[2]).toBe(
      'No time of the week stands out: half wait 1m or longer.',
    )
  })
})

it.each([
  ['2025-03-10T10:59:59Z', monday],
  [monday, nextMonday],
  ['2025-03-09T12:00:00Z', monday],
])('at %s the next report is due at %s', (now, due) => {
  expect(nextReportAt(instantOf(now), 'America/New_York')).toBe(instantOf(due))
})
