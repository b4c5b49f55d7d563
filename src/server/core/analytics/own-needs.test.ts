import { expect, it } from 'vitest'
import { api, type CallInput } from '#contract/api.ts'
import { secondMs } from '#contract/durations.ts'
import { setUpApp } from '../../../../test/support/app.ts'
import { connectScreen } from '../../../../test/support/pages/crew-view.ts'
import { parseCsv } from '../../../../test/support/reading/figures-from-csv.ts'
import { localDay } from '../dates.ts'

type NeedInput = CallInput<typeof api.needs.set>['body']['needs'][number]

const app = setUpApp()

it('own needs have figures of their own beside the six, under the name that they had last', async () => {
  const restaurant = await app.restaurant({ tables: ['1', '2', '3'] })
  const { owner, name, device } = restaurant
  const crew = await connectScreen(device)
  const taxi: NeedInput = { id: 'taxi', name: { de: 'Taxi' }, icon: 'taxi', targetMs: 20_000, calls: 'Host' }
  const water: NeedInput = { id: 'water', name: { de: '=Wasser' }, icon: 'water', targetMs: 60_000 }
  const setNeeds = (...needs: NeedInput[]) => owner.ok(api.needs.set, { body: { needs } })
  const serve = async (tableNumber: string, need: string | undefined, ms: number) => {
    const body = { restaurantId: name, tableNumber, serviceType: 'other', need } as const
    const { request } = await app.browser().ok(api.requests.send, { body })
    app.advance(ms)
    await crew.request({ type: 'complete-request', id: request.id })
  }
  const today = localDay(app.now(), 'UTC')
  const figures = async () => owner.ok(api.analytics.figures, { query: { from: today, to: today } })
  await serve('1', 'taxi', secondMs)
  expect(await figures()).not.toHaveProperty('byNeed')

  await setNeeds(taxi, water)
  await serve('1', 'taxi', 10 * secondMs)
  await serve('2', 'water', 30 * secondMs)
  await setNeeds({ ...taxi, name: { de: 'Taxi rufen' } })
  await serve('3', 'taxi', 30 * secondMs)
  await setNeeds()

  const { byType, byNeed, totals } = await figures()
  expect(totals).toMatchObject({ requests: 4, withinTarget: { within: 3, of: 4 } })
  expect(byType.at(-1)).toMatchObject({ serviceType: 'other', requests: 1 })
  expect(byNeed).toMatchObject([
    {
      need: { id: 'taxi', name: { de: 'Taxi rufen' }, icon: 'taxi', targetMs: 20_000 },
      requests: 2,
      response: { medianMs: 10_000 },
      targetMs: 20_000,
      withinTarget: { within: 1, of: 2 },
    },
    { need: { id: 'water' }, requests: 1, targetMs: 60_000, withinTarget: { within: 1, of: 1 } },
  ])
  expect(byNeed?.[0]?.need).not.toHaveProperty('calls')
  const { latest, withinTarget } = await owner.ok(api.analytics.overview, {})
  expect(withinTarget).toEqual(totals.withinTarget)
  expect(latest.map(({ serviceType, need }) => [serviceType, need?.id])).toEqual([
    ['other', 'taxi'],
    ['other', 'water'],
    ['other', 'taxi'],
    ['other', undefined],
  ])
  const csv = await (await owner.fetch(`/api/analytics/events.csv?from=${today}&to=${today}`)).text()
  expect(csv).toContain(`"'=Wasser"`)
  const rows = parseCsv(csv).filter(({ kind }) => kind === 'created')
  expect(rows.map((row) => row['service_type'])).toEqual(['other', 'Taxi', '=Wasser', 'Taxi rufen'])
})

it('a request is judged by the target time that it was made with, wherever it is shown', async () => {
  const { owner, name, device } = await app.restaurant({ tables: ['1', '2', '3'] })
  const crew = await connectScreen(device)
  const setTarget = (targetMs: number) =>
    owner.ok(api.needs.set, {
      body: { needs: [{ id: 'taxi', name: { en: 'Taxi' }, icon: 'taxi', targetMs }] },
    })
  const serve = async (tableNumber: string, ms: number) => {
    const body = { restaurantId: name, tableNumber, serviceType: 'other', need: 'taxi' } as const
    const { request } = await app.browser().ok(api.requests.send, { body })
    app.advance(ms)
    await crew.request({ type: 'complete-request', id: request.id })
  }
  await setTarget(60 * secondMs)
  await serve('1', 30 * secondMs)
  await serve('2', 90 * secondMs)
  await setTarget(20 * secondMs)
  await serve('1', 30 * secondMs)
  await serve('2', 10 * secondMs)

  const today = localDay(app.now(), 'UTC')
  const { totals, byNeed } = await owner.ok(api.analytics.figures, { query: { from: today, to: today } })
  const { latest, withinTarget } = await owner.ok(api.analytics.overview, {})
  const shown = latest.map(({ responseMs, need }) => (responseMs ?? 0) <= (need?.targetMs ?? 0))
  expect(shown).toEqual([true, false, false, true])
  expect(withinTarget).toEqual({ within: 2, of: 4 })
  expect(totals.withinTarget).toEqual({ within: 2, of: 4 })
  expect(byNeed).toMatchObject([{ targetMs: 20 * secondMs, withinTarget: { within: 2, of: 4 } }])
})
