import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import type { OpeningHours } from '#contract/guests/opening.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import { password, setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import { connectScreen, pendingRequests } from '../../../../test/support/pages/crew-view.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import * as tableButtons from '../../storage/requests/table-buttons.ts'
import { write } from '../transaction.ts'
import { availabilityOf, findOpening } from './opening.ts'

const span = (from: string, to: string) => ({ from, to })
const everyDay = (...spans: { from: string; to: string }[]): OpeningHours =>
  Array.from({ length: 7 }, () => spans)
const onlyOn = (weekday: number, ...spans: { from: string; to: string }[]): OpeningHours =>
  Array.from({ length: 7 }, (_, index) => (index === weekday ? spans : []))

describe('opening hours', () => {
  const at = (local: string, timeZone = 'Europe/Berlin'): number =>
    Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone).epochMilliseconds
  const opensAt = (hours: OpeningHours, local: string, timeZone = 'Europe/Berlin'): string | null => {
    const found = findOpening(hours, timeZone, at(local, timeZone)).opensAt
    if (found === null) return null
    const zoned = Temporal.Instant.fromEpochMilliseconds(found).toZonedDateTimeISO(timeZone)
    return zoned.toPlainDateTime().toString({ smallestUnit: 'minute' })
  }

  it('are several a day, each with its first minute and without its last', () => {
    const hours = everyDay(span('11:30', '14:30'), span('18:00', '23:00'))
    expect(opensAt(hours, '2027-03-01T11:29:59')).toBe('2027-03-01T11:30')
    expect(opensAt(hours, '2027-03-01T11:30')).toBeNull()
    expect(opensAt(hours, '2027-03-01T14:29:59')).toBeNull()
    expect(opensAt(hours, '2027-03-01T14:30')).toBe('2027-03-01T18:00')
    expect(opensAt(hours, '2027-03-01T23:00')).toBe('2027-03-02T11:30')
  })

  it('go on after midnight, as part of the day on which they began', () => {
    // Friday.
    const hours = onlyOn(4, span('18:00', '01:30'))
    expect(opensAt(hours, '2027-03-06T01:29')).toBeNull()
    expect(opensAt(hours, '2027-03-06T01:30')).toBe('2027-03-12T18:00')
    expect(opensAt(hours, '2027-03-05T00:30')).toBe('2027-03-05T18:00')
    expect(opensAt(onlyOn(6, span('00:00', '00:00')), '2027-03-07T23:59')).toBeNull()
    expect(opensAt(onlyOn(6, span('00:00', '00:00')), '2027-03-08T00:00')).toBe('2027-03-14T00:00')
  })

  it('may be a week away, on the same weekday', () => {
    expect(opensAt(onlyOn(0, span('09:00', '10:00')), '2027-03-01T10:00')).toBe('2027-03-08T09:00')
  })

  it('are those of the restaurant’s clock, also when it changes', () => {
    expect(opensAt(everyDay(span('09:00', '17:00')), '2027-03-01T09:00', 'Pacific/Auckland')).toBeNull()
    // On 28 March 2027 clocks in Berlin go from 2 to 3, on 31 October from 3 back to 2.
    const night = everyDay(span('02:30', '04:00'))
    expect(opensAt(night, '2027-03-28T01:59')).toBe('2027-03-28T03:30')
    expect(findOpening(night, 'Europe/Berlin', at('2027-03-28T01:59')).opensAt).toBe(
      at('2027-03-28T01:59') + 31 * 60_000,
    )
    const late = everyDay(span('18:00', '02:30'))
    expect(findOpening(late, 'Europe/Berlin', at('2027-10-31T01:00') + 80 * 60_000).opensAt).toBeNull()
  })

  it('are read again only when they change what guests can ask', () => {
    const pause = { serviceType: 'food', until: at('2027-03-01T13:00'), reason: 'kitchen', text: null }
    const hours = everyDay(span('11:30', '14:30'), span('18:00', '23:00'))
    const opening = JSON.stringify({ hours, pauses: [pause] })
    const conversions = vi.spyOn(Temporal.PlainDate.prototype, 'toZonedDateTime')
    onTestFinished(() => conversions.mockRestore())
    const timeZone = 'Europe/Berlin'
    const closed = { closedUntil: at('2027-03-01T18:00'), timeZone }
    // The last one: a clock that was set back.
    for (const [local, last, expected] of [
      ['2027-03-01T12:00', '2027-03-01T12:59:59.999', { pauses: [pause], timeZone }],
      ['2027-03-01T13:00', '2027-03-01T14:29:59.999', {}],
      ['2027-03-01T14:30', '2027-03-01T17:59:59.999', closed],
      ['2027-03-01T18:00', '2027-03-01T22:59:59.999', {}],
      ['2027-03-01T12:30', '2027-03-01T12:59', { pauses: [pause], timeZone }],
    ] as const) {
      conversions.mockClear()
      expect(availabilityOf({ opening, timeZone }, at(local))).toEqual(expected)
      expect(conversions).toHaveBeenCalled()
      const times = [at(local) + 1, at(last)]
      conversions.mockClear()
      for (const now of times) expect(availabilityOf({ opening, timeZone }, now)).toEqual(expected)
      expect(conversions).not.toHaveBeenCalled()
    }
    expect(availabilityOf({ opening, timeZone: 'UTC' }, at('2027-03-01T11:45'))).toMatchObject({
      closedUntil: at('2027-03-01T12:30'),
    })
  })
})

// 1 March 2027 is a Monday.
const monday = Date.UTC(2027, 2, 1)
const app = setUpApp()
const goTo = (time: number): void => app.advance(time - app.now())

type Restaurant = Awaited<ReturnType<typeof app.restaurant>>

const ask = (
  guest: TestBrowser,
  { name }: Restaurant,
  serviceType: ServiceType = 'food',
  more: object = {},
) =>
  guest.call(api.requests.send, {
    body: { restaurantId: name, tableNumber: '7', serviceType, ...more },
  })

const openOf = async ({ device }: Restaurant) =>
  (await pendingRequests(device)).requests.map(({ serviceType }) => serviceType)

const pageOf = (guest: TestBrowser, { name }: Restaurant) =>
  guest.ok(api.requests.mine, { query: { restaurantId: name, tableNumber: '7' } })

describe('a restaurant', () => {
  let restaurant: Restaurant
  let weeks = 0
  beforeEach(async () => {
    // Each test in a week of its own: the clock only goes forward, and sign-ins end.
    goTo(monday + ++weeks * 7 * 24 * 60 * 60_000 + 12 * 60 * 60_000)
    restaurant = await app.restaurant({ tables: ['7'] })
  })
  const lunch = everyDay(span('11:00', '14:00'))
  const minutes = 60_000

  it('is always open until its owner sets hours', async () => {
    const { owner } = restaurant
    expect(await owner.ok(api.opening.state, {})).toEqual({ hours: null, pauses: [], timeZone: 'UTC' })
    const page = await pageOf(app.browser(), restaurant)
    expect(page).not.toHaveProperty('closedUntil')
    expect(page).not.toHaveProperty('pauses')
    await owner.ok(api.opening.setHours, { body: { hours: lunch } })
    expect((await owner.ok(api.opening.setHours, { body: { hours: null } })).hours).toBeNull()
    app.advance(5 * 60 * minutes)
    expect((await ask(app.browser(), restaurant)).status).toBe(201)
  })

  it('names the day of next week by its date, as its weekday alone would mean this week’s', async () => {
    const hours = onlyOn(0, span('09:00', '10:00'))
    await restaurant.owner.ok(api.opening.setHours, { body: { hours } })
    expect((await ask(app.browser(), restaurant)).body).toMatchObject({
      message: expect.stringMatching(/It opens on Monday \d+ March at 09:00\.$/u),
    })
  })

  it('refuses everything outside its hours, says when it opens, and stores nothing', async () => {
    const { owner } = restaurant
    const guest = app.browser()
    await owner.ok(api.opening.setHours, { body: { hours: lunch } })
    const tap = { id: 'tap-at-lunch' }
    expect((await ask(guest, restaurant, 'check', tap)).status).toBe(201)
    app.advance(2 * 60 * minutes)
    const until = app.now() + 21 * 60 * minutes
    const refusal = {
      status: 409,
      body: {
        code: 'closed',
        message: 'The restaurant is closed right now. It opens on Tuesday at 11:00.',
        params: { until },
      },
    }
    for (const type of ['general', 'drinks', 'food', 'assistance', 'other'] as const)
      expect(await ask(guest, restaurant, type)).toMatchObject(refusal)
    // The table waits for it already.
    expect(await ask(guest, restaurant, 'check')).toMatchObject({
      status: 200,
      body: { request: { asks: 2 } },
    })
    // The same tap again, whose answer was lost, is not a new one.
    expect((await ask(guest, restaurant, 'check', tap)).status).toBe(200)
    expect(await openOf(restaurant)).toEqual(['check'])
    expect(await pageOf(guest, restaurant)).toMatchObject({ closedUntil: until, requests: [{ asks: 2 }] })
    app.advance(21 * 60 * minutes - 1)
    expect((await ask(app.browser(), restaurant)).body).toMatchObject({
      message: 'The restaurant is closed right now. It opens at 11:00.',
    })
    app.advance(1)
    expect((await ask(app.browser(), restaurant)).status).toBe(201)
  })

  it('pauses a need with a reason for a time, and never the others', async () => {
    const { owner } = restaurant
    const guest = app.browser()
    const state = await owner.ok(api.opening.pause, {
      body: { serviceType: 'food', minutes: 10, reason: 'kitchen' },
    })
    const until = app.now() + 10 * minutes
    const pauses = [{ serviceType: 'food', until, reason: 'kitchen', text: null }]
    expect(state).toEqual({ hours: null, pauses, timeZone: 'UTC' })
    expect(await ask(guest, restaurant)).toMatchObject({
      status: 409,
      body: {
        code: 'need_paused',
        message: 'Food Order is paused: Kitchen closed. Please ask again at 12:10.',
        params: { serviceType: 'food', until, reason: 'kitchen' },
      },
    })
    expect((await ask(guest, restaurant, 'general')).status).toBe(201)
    expect(await pageOf(guest, restaurant)).toMatchObject({ pauses })
    const html = async (): Promise<string> =>
      (await guest.fetch(`/customer?r=${encodeURIComponent(restaurant.name)}&t=7`)).text()
    expect(await html()).toMatch(/Food Order: not available until 12:10.PM\. Kitchen closed/u)
    app.advance(10 * minutes)
    expect(await html()).not.toContain('not available')
    expect(await pageOf(guest, restaurant)).not.toHaveProperty('pauses')
    expect((await ask(guest, restaurant)).status).toBe(201)
    expect(await owner.ok(api.opening.state, {})).toEqual({ hours: null, pauses: [], timeZone: 'UTC' })
  })

  it('says the reason in its own words, and takes another pause for the one before', async () => {
    const { owner } = restaurant
    const own = { serviceType: 'drinks', reason: 'own', text: '  The bar opens   at six ' } as const
    await owner.ok(api.opening.pause, { body: { ...own, minutes: 60 } })
    expect((await ask(app.browser(), restaurant, 'drinks')).body).toMatchObject({
      message: 'Drinks is paused: The bar opens at six. Please ask again at 13:00.',
      params: { reason: 'own', text: 'The bar opens at six' },
    })
    await owner.ok(api.opening.pause, {
      body: { serviceType: 'drinks', minutes: 5, reason: 'crew', text: 'x' },
    })
    expect((await owner.ok(api.opening.state, {})).pauses).toMatchObject([{ reason: 'crew', text: null }])
    const resumed = await owner.ok(api.opening.resume, { params: { serviceType: 'drinks' } })
    expect(resumed.pauses).toEqual([])
    expect((await ask(app.browser(), restaurant, 'drinks')).status).toBe(201)
  })

  it('says its own reason in the guest’s language, or else in the first one', async () => {
    const { owner, name } = restaurant
    const texts = { de: 'Die Bar öffnet um sechs', en: 'The bar opens at six', ar: 'البار مغلق' }
    const own = { serviceType: 'drinks', reason: 'own', minutes: 60 } as const
    const state = await owner.ok(api.opening.pause, { body: { ...own, text: 'x', texts } })
    expect(state.pauses).toMatchObject([{ reason: 'own', text: texts.de, texts }])
    const guest = app.browser()
    expect(await pageOf(guest, restaurant)).toMatchObject({ pauses: [{ text: texts.de, texts }] })
    expect((await ask(guest, restaurant, 'drinks')).body).toMatchObject({
      code: 'need_paused',
      message: 'Drinks is paused: The bar opens at six. Please ask again at 13:00.',
      params: { reason: 'own', text: texts.de, texts },
    })
    const read = async (language: string): Promise<string | undefined> => {
      const headers = { 'accept-language': language }
      const page = await guest.fetch(`/customer?r=${encodeURIComponent(name)}&t=7`, { headers })
      const html = await page.text()
      return /<p class="lead">[^<]*(<bdi.*?<\/bdi>)<\/p>/u.exec(html)?.[1]
    }
    expect(await read('ar')).toBe(`<bdi lang="ar">${texts.ar}</bdi>`)
    expect(await read('en')).toBe(`<bdi lang="en">${texts.en}</bdi>`)
    expect(await read('ja')).toBe(`<bdi lang="de">${texts.de}</bdi>`)
    const { entries } = await owner.ok(api.audit.list, { query: {} })
    expect(entries[0]).toMatchObject({ action: 'opening.pause', detail: { reason: texts.de } })

    await owner.ok(api.opening.pause, { body: { ...own, texts: { de: texts.de } } })
    expect((await ask(guest, restaurant, 'drinks')).body).toMatchObject({
      message: `Drinks is paused: ${texts.de}. Please ask again at 13:00.`,
    })
  })

  it('goes on saying a reason that was stored without a language', async () => {
    const pause = { serviceType: 'food', until: app.now() + minutes, reason: 'own', text: 'The oven is cold' }
    const id = await app.idOf(restaurant)
    const opening = JSON.stringify({ hours: null, pauses: [pause] })
    await write(app.ctx, ({ db }) => restaurants.setOpening(db, id, opening))
    expect((await restaurant.owner.ok(api.opening.state, {})).pauses).toEqual([pause])
    expect(await pageOf(app.browser(), restaurant)).toMatchObject({ pauses: [pause] })
    const refused = await ask(app.browser(), restaurant)
    expect(refused.body).toMatchObject({
      message: 'Food Order is paused: The oven is cold. Please ask again at 12:01.',
      params: { text: 'The oven is cold' },
    })
    const query = new URLSearchParams({ r: restaurant.name, t: '7', lang: 'de' })
    const html = await (await app.browser().fetch(`/customer?${query}`)).text()
    expect(html).toMatch(/<bdi lang(?:="")?>The oven is cold<\/bdi>/u)
  })

  it('tells open pages and the live channel at once', async () => {
    const { owner } = restaurant
    const phone = await app.browser().connect()
    const at = { restaurantId: restaurant.name, tableNumber: '7' }
    await phone.request({ type: 'set-restaurant-context', ...at })
    await owner.ok(api.opening.pause, { body: { serviceType: 'food', minutes: 10, reason: 'kitchen' } })
    await phone.next('table-changed')
    expect(await phone.request({ type: 'service-request', ...at, serviceType: 'food' })).toMatchObject({
      type: 'error',
      code: 'need_paused',
    })
    await owner.ok(api.opening.resume, { params: { serviceType: 'food' } })
    await phone.next('table-changed')
    await owner.ok(api.opening.setHours, { body: { hours: lunch } })
    await phone.next('table-changed')
    await owner.ok(api.restaurant.change, { body: { timeZone: 'Asia/Tokyo' } })
    await phone.next('table-changed')
  })

  it('tells pages where no tables are set up, and nobody who has left', async () => {
    const bare = await app.restaurant()
    const at = { restaurantId: bare.name, tableNumber: '7' }
    const [phone, gone] = [await app.browser().connect(), await app.browser().connect()]
    await phone.request({ type: 'set-restaurant-context', ...at })
    await gone.request({ type: 'set-restaurant-context', ...at })
    await gone.request({ type: 'set-restaurant-context', restaurantId: restaurant.name, tableNumber: '7' })
    await bare.owner.ok(api.opening.pause, {
      body: { serviceType: 'food', minutes: 10, reason: 'kitchen' },
    })
    await phone.next('table-changed')
    await gone.request({ type: 'ping' })
    expect(gone.ofType('table-changed')).toEqual([])
  })

  it('keeps what two managers pause at the same moment', async () => {
    const { owner, name } = restaurant
    await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
    const manager = app.browser()
    await manager.ok(api.managers.login, { body: { restaurantName: name, username: 'boss', password } })
    const types = ['drinks', 'food', 'check', 'assistance'] as const
    await Promise.all(
      types.map((serviceType, index) =>
        (index % 2 ? manager : owner).ok(api.opening.pause, {
          body: { serviceType, minutes: 10, reason: 'crew' },
        }),
      ),
    )
    const { pauses } = await manager.ok(api.opening.state, {})
    expect(pauses.map(({ serviceType }) => serviceType).toSorted()).toEqual(types.toSorted())
    expect((await manager.call(api.opening.setHours, { body: { hours: lunch } })).status).toBe(403)
  })

  it('keeps what another owner has changed on other days, and refuses what both changed', async () => {
    const { owner, name } = restaurant
    const other = app.browser()
    await other.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    const was = everyDay(span('11:00', '22:00'))
    await owner.ok(api.opening.setHours, { body: { hours: was } })
    const on = (before: OpeningHours, changes: Record<number, OpeningHours[number]>): OpeningHours =>
      before.map((spans, day) => changes[day] ?? spans)
    const hoursNow = async () => (await owner.ok(api.opening.state, {})).hours

    const monday = { 0: [span('10:00', '22:00')] }
    const sunday = { 6: [] }
    await Promise.all([
      owner.ok(api.opening.setHours, { body: { hours: on(was, monday), was } }),
      other.ok(api.opening.setHours, { body: { hours: on(was, sunday), was } }),
    ])
    const both = on(was, { ...monday, ...sunday })
    expect(await hoursNow()).toEqual(both)

    const refused = {
      status: 409,
      body: {
        code: 'conflict',
        message: 'Somebody else has changed this meanwhile. Please check what is there now.',
      },
    }
    const change = (browser: TestBrowser, hours: OpeningHours | null, seen: OpeningHours | null) =>
      browser.call(api.opening.setHours, { body: { hours, was: seen } })
    expect(await change(other, on(was, { 0: [] }), was)).toMatchObject(refused)
    expect(await change(other, on(was, monday), was)).toMatchObject({ status: 200, body: { hours: both } })
    expect(await change(other, was, was)).toMatchObject({ status: 200, body: { hours: both } })
    // Whoever lifts the limit has not seen all of it, and whoever changes a day not that it was lifted.
    expect(await change(other, null, was)).toMatchObject(refused)
    expect(await change(owner, null, both)).toMatchObject({ status: 200, body: { hours: null } })
    expect(await change(other, on(both, { 1: [] }), both)).toMatchObject(refused)
    expect(await hoursNow()).toBeNull()

    const twoDays = on(everyDay(), { 0: lunch[0] ?? [], 1: lunch[0] ?? [] })
    await owner.ok(api.opening.setHours, { body: { hours: twoDays } })
    await owner.ok(api.opening.setHours, { body: { hours: on(twoDays, { 0: [] }), was: twoDays } })
    expect(await change(other, on(twoDays, { 1: [] }), twoDays)).toMatchObject(refused)
  })

  it('has each change in its audit log', async () => {
    const { owner } = restaurant
    await owner.ok(api.opening.setHours, {
      body: { hours: onlyOn(0, span('11:00', '14:00'), span('18:00', '01:00')) },
    })
    await owner.ok(api.opening.pause, { body: { serviceType: 'food', minutes: 10, reason: 'kitchen' } })
    await owner.ok(api.opening.resume, { params: { serviceType: 'food' } })
    await owner.ok(api.opening.resume, { params: { serviceType: 'food' } })
    const { entries } = await owner.ok(api.audit.list, { query: {} })
    const days = ['Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map(
      (day) => `${day}: closed`,
    )
    expect(entries.slice(0, 4).map(({ action, detail }) => [action, detail])).toEqual([
      ['opening.resume', { need: 'Food Order' }],
      [
        'opening.pause',
        {
          need: 'Food Order',
          until: new Date(app.now() + 10 * minutes).toISOString(),
          reason: 'Kitchen closed',
        },
      ],
      ['opening.setHours', { hours: ['Monday: 11:00–14:00, 18:00–01:00', ...days] }],
      ['floor.setUp', expect.anything()],
    ])
  })

  it('refuses a button outside its hours too', async () => {
    const { owner } = restaurant
    const [seven] = await owner.ok(api.floor.tables, {})
    const [id, token] = [app.ctx.newId(), app.ctx.secrets.newToken()]
    const button = { restaurantId: await app.idOf(restaurant), id, tableId: seven?.id ?? '' }
    const tokenHash = app.ctx.secrets.digest(token)
    await write(app.ctx, ({ db }) =>
      tableButtons.insert(db, { ...button, serviceType: 'food', tokenHash, createdAt: 0, pressedAt: null }),
    )
    await owner.ok(api.opening.pause, { body: { serviceType: 'food', minutes: 10, reason: 'kitchen' } })
    expect(await app.browser().call(api.buttons.press, { body: { token } })).toMatchObject({
      status: 409,
      body: { code: 'need_paused' },
    })
    expect(await openOf(restaurant)).toEqual([])
  })

  it('refuses hours and pauses that make no sense, and changes nothing', async () => {
    const { owner } = restaurant
    const crew = await connectScreen(restaurant.device)
    const hours = (value: unknown) => owner.send('POST', '/api/opening/hours', { hours: value })
    const bad: [unknown, string][] = [
      [undefined, 'Please enter the times as 11:30'],
      [[], 'Please enter the times as 11:30'],
      [everyDay(), 'Please enter the hours of at least one day'],
      [everyDay(span('11:00', '24:00')), 'Please enter the times as 11:30'],
      [everyDay(span('9:00', '10:00')), 'Please enter the times as 11:30'],
      [[...lunch, []], 'Please enter the times as 11:30'],
      [everyDay(...Array.from({ length: 5 }, () => span('11:00', '12:00'))), 'A day has at most 4 times'],
      [{ length: 7 }, 'Please enter the times as 11:30'],
    ]
    for (const [value, message] of bad)
      expect({ value, ...(await hours(value)) }).toMatchObject({ value, status: 400, body: { message } })
    const pause = (body: object) => owner.send('POST', '/api/opening/pauses', body)
    const good = { serviceType: 'food', minutes: 10, reason: 'kitchen' }
    const badPauses: [object, string][] = [
      [{ serviceType: 'general' }, 'Call Waiter cannot be paused'],
      [{ serviceType: 'champagne' }, 'Call Waiter cannot be paused'],
      [{ minutes: 0 }, 'A pause lasts 1 minute to 12 hours'],
      [{ minutes: 721 }, 'A pause lasts 1 minute to 12 hours'],
      [{ minutes: 1.5 }, 'A pause lasts 1 minute to 12 hours'],
      [{ minutes: '10' }, 'A pause lasts 1 minute to 12 hours'],
      [{ reason: 'lazy' }, 'Please choose a reason'],
      [{ reason: 'own' }, 'Please enter a reason'],
      [{ reason: 'own', text: '   ' }, 'Please enter a reason'],
      [{ reason: 'own', text: 'x'.repeat(81) }, 'Please use at most 80 characters'],
      [{ reason: 'own', text: 'a\u202eb' }, 'Please use only visible characters'],
      [{ reason: 'own', texts: {} }, 'Please enter a reason'],
      [{ reason: 'own', texts: 'The oven' }, 'Please enter a reason'],
      [{ reason: 'own', texts: { en: '' } }, 'Please enter a reason'],
      [{ reason: 'own', texts: { en: 'x'.repeat(81) } }, 'Please use at most 80 characters'],
      [{ reason: 'own', texts: { DE: 'x' } }, 'Please choose a language'],
    ]
    for (const [fields, message] of badPauses)
      expect({ fields, ...(await pause({ ...good, ...fields })) }).toMatchObject({
        fields,
        status: 400,
        body: { message },
      })
    expect((await owner.send('DELETE', '/api/opening/pauses/general')).status).toBe(400)
    expect(await owner.ok(api.opening.state, {})).toEqual({ hours: null, pauses: [], timeZone: 'UTC' })
    expect((await crew.request({ type: 'ping' })).type).toBe('ack')
  })
})

it('managers’ screens hear of new hours, pauses and a new time zone, and screens of the crew do not', async () => {
  const { name, owner, device } = await app.restaurant()
  const open = async (browser: TestBrowser) => {
    const screen = await browser.connect()
    await screen.request({ type: 'set-restaurant-context', restaurantId: name })
    return screen
  }
  const [managers, crew] = [await open(owner), await open(device)]
  const changes = [
    () => owner.ok(api.opening.setHours, { body: { hours: everyDay(span('11:00', '22:00')) } }),
    () => owner.ok(api.opening.pause, { body: { serviceType: 'food', minutes: 30, reason: 'kitchen' } }),
    () => owner.ok(api.opening.resume, { params: { serviceType: 'food' } }),
    () => owner.ok(api.restaurant.change, { body: { timeZone: 'Europe/Vienna' } }),
  ]
  for (const change of changes) {
    await change()
    await managers.next('opening-changed')
  }
  await crew.request({ type: 'ping' })
  expect(crew.ofType('opening-changed')).toEqual([])
})
