// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it, onTestFinished, vi } from 'vitest'
import { api } from '#contract/api.ts'
import { setCatalogue } from '../../src/client/lib/texts/translate.ts'
import { setUpApp } from '../support/app.ts'
import { fill, openStaffApp, press, waitForToast, withoutFigures } from '../support/pages/staff-app.tsx'

const app = setUpApp()

const choose = (label: string, value: string): void =>
  void fireEvent.change(screen.getByLabelText(label), { target: { value } })

/** Beside AM and PM stands a narrow space that does not break. */
const withPlainSpaces = (wanted: string) => (name: string) => name.replaceAll(/\s/gu, ' ') === wanted

it('the owner limits guests to the opening hours, with several times a day', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  openStaffApp('/admin-dashboard/settings', withoutFigures, owner)
  const limit = await screen.findByLabelText(
    'Guests can ask only while you are open',
    {},
    { timeout: 20_000 },
  )
  expect(screen.queryByRole('group', { name: 'Monday' })).toBeNull()
  fireEvent.click(limit)
  fill({ 'Opens on Monday, 1': '11:30', 'Closes on Monday, 1': '14:30' })
  press('button', 'Add times on Monday')
  fill({ 'Opens on Monday, 2': '18:00', 'Closes on Monday, 2': '01:00' })
  press('button', 'Every day like Monday')
  for (const times of ['6:00 PM–1:00 AM', '11:30 AM–2:30 PM'])
    fireEvent.click(screen.getByRole('button', { name: withPlainSpaces(`Remove ${times} on Sunday`) }))
  const sunday = screen.getByRole('group', { name: 'Sunday' })
  expect(within(sunday).getByText(/closed/u)).toBeDefined()
  fill({ 'Opens on Saturday, 1': '' })
  press('button', 'Save Opening Hours')
  await waitForToast('Please enter the times as 11:30')
  expect((await owner.ok(api.opening.state, {})).hours).toBeNull()
  fill({ 'Opens on Saturday, 1': '12:00' })
  press('button', 'Save Opening Hours')
  await waitForToast('Opening hours saved')
  const both = [
    { from: '11:30', to: '14:30' },
    { from: '18:00', to: '01:00' },
  ]
  const saturday = [{ from: '12:00', to: '14:30' }, both[1]]
  const { hours } = await owner.ok(api.opening.state, {})
  expect(hours).toEqual([both, both, both, both, both, saturday, []])
  fireEvent.click(limit)
  press('button', 'Save Opening Hours')
  await expect.poll(async () => (await owner.ok(api.opening.state, {})).hours).toBeNull()
})

it('a manager pauses what the kitchen cannot do, and ends the pause', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const { owner, name } = restaurant
  openStaffApp('/management-dashboard', withoutFigures, owner)
  const card = within(await screen.findByRole('region', { name: 'Pauses' }, { timeout: 20_000 }))
  await card.findByRole('button', { name: 'Pause' })
  expect([...card.getByLabelText('Pause').querySelectorAll('option')].map(({ value }) => value)).toEqual([
    'drinks',
    'food',
    'check',
    'assistance',
    'other',
  ])
  choose('Because', 'own')
  choose('For', '30')
  fireEvent.click(card.getByRole('button', { name: 'Pause' }))
  await waitForToast('Please enter a reason')
  fill({ 'What guests read': 'The oven is broken' })
  fireEvent.click(card.getByRole('button', { name: 'Pause' }))
  await waitForToast('Guests are told')
  expect(await card.findByText('The oven is broken')).toBeDefined()
  const ask = async () =>
    app.browser().call(api.requests.send, {
      body: { restaurantId: name, tableNumber: '1', serviceType: 'food' },
    })
  expect(await ask()).toMatchObject({ status: 409, body: { params: { text: 'The oven is broken' } } })
  const end = card.getByRole('button', { name: 'End now: pause of Food Order' })
  end.focus()
  fireEvent.click(end)
  await waitForToast('Pause ended')
  await waitFor(() => expect(card.queryByText('The oven is broken')).toBeNull())
  await waitFor(() => expect(document.activeElement?.getAttribute('name')).toBe('serviceType'))
  expect((await ask()).status).toBe(201)
})

it('a manager says why in several languages', async () => {
  document.documentElement.dataset['guestLanguages'] = 'de en ar'
  onTestFinished(() => void delete document.documentElement.dataset['guestLanguages'])
  const { owner } = await app.restaurant({ tables: ['1'] })
  openStaffApp('/management-dashboard', withoutFigures, owner)
  const card = within(await screen.findByRole('region', { name: 'Pauses' }, { timeout: 20_000 }))
  await card.findByRole('button', { name: 'Pause' })
  choose('Because', 'own')
  const reason = (): HTMLInputElement => card.getByLabelText('What guests read')
  expect(reason().lang).toBe('en')
  fill({ 'What guests read': 'The oven is broken' })
  choose('Language of the reason', 'ar')
  expect([reason().value, reason().lang, reason().dir]).toEqual(['', 'ar', 'auto'])
  expect(reason().placeholder).toBe('The oven is broken')
  fill({ 'What guests read': 'الفرن معطل' })
  choose('Language of the reason', 'de')
  fireEvent.click(card.getByRole('button', { name: 'Pause' }))
  await waitForToast('Guests are told')
  const texts = { en: 'The oven is broken', ar: 'الفرن معطل' }
  const { pauses } = await owner.ok(api.opening.state, {})
  expect(pauses).toMatchObject([{ reason: 'own', text: texts.en, texts }])
  expect((await card.findByText('The oven is broken')).lang).toBe('en')
  for (const language of ['en', 'ar']) {
    choose('Language of the reason', language)
    expect(reason().value).toBe('')
  }
  expect(reason().placeholder).toBe('')
})

it('a pause ends on the restaurant’s clock, on another day by its name, and next week by its date', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const now = Date.now()
  // Where it is about noon, so that the end of the first one is today.
  const behind = new Date(now).getUTCHours() - 12
  const timeZone = `Etc/GMT${behind < 0 ? behind : `+${behind}`}`
  const pause = { reason: 'kitchen', text: null }
  const pauses = [
    { ...pause, serviceType: 'food', until: now + 60 * 60_000 },
    { ...pause, serviceType: 'drinks', until: now + 24 * 60 * 60_000 },
    { ...pause, serviceType: 'check', until: now + 7 * 24 * 60 * 60_000 },
  ]
  openStaffApp(
    '/management-dashboard',
    { ...withoutFigures, 'GET /api/opening': [200, { hours: null, pauses, timeZone }] },
    owner,
  )
  const card = within(await screen.findByRole('region', { name: 'Pauses' }, { timeout: 20_000 }))
  expect((await card.findByText(/^Food Order, until/u)).textContent).toMatch(/until 1:\d\d.PM$/u)
  const weekday = new Intl.DateTimeFormat('en', { timeZone, weekday: 'long' }).format(now + 24 * 60 * 60_000)
  expect(card.getByText(/^Drinks, until/u).textContent).toMatch(
    new RegExp(`until ${weekday}.+12:\\d\\d.PM$`, 'u'),
  )
  const nextWeek = new Intl.DateTimeFormat('en', { timeZone, weekday: 'long', month: 'long', day: 'numeric' })
  expect(card.getByText(/^Check\/Bill, until/u).textContent).toContain(
    `until ${nextWeek.format(now + 7 * 24 * 60 * 60_000)}`,
  )
})

it('a pause whose zone the browser does not know ends on the clock of the browser', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const pauses = [{ serviceType: 'food', until: Date.now() + 3_600_000, reason: 'kitchen', text: null }]
  openStaffApp(
    '/management-dashboard',
    { ...withoutFigures, 'GET /api/opening': [200, { hours: null, pauses, timeZone: 'Europe/Atlantis' }] },
    owner,
  )
  const card = within(await screen.findByRole('region', { name: 'Pauses' }, { timeout: 20_000 }))
  expect((await card.findByText(/^Food Order, until/u)).textContent).toMatch(/until .*\d:\d\d/u)
})

it('the activity says hours and pauses in the language of the page, and when it ends', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  await owner.ok(api.opening.setHours, {
    body: {
      hours: Array.from({ length: 7 }, (_, day) => (day === 6 ? [] : [{ from: '11:00', to: '14:00' }])),
    },
  })
  const body = { serviceType: 'food', minutes: 600, reason: 'kitchen' } as const
  const { pauses } = await owner.ok(api.opening.pause, { body })
  const wifi = { menu: '', pay: '', wifiName: 'Blue Door', wifiPassword: 'guests only' }
  await owner.ok(api.guestCard.set, { body: wifi })
  for (const verifiedOnly of [true, false]) await owner.ok(api.restaurant.change, { body: { verifiedOnly } })
  const { lang } = document.documentElement
  document.documentElement.lang = 'de'
  setCatalogue(
    'de',
    new Map([
      ['Food Order', 'Essen bestellen'],
      ['Kitchen closed', 'Küche geschlossen'],
      ['closed', 'geschlossen'],
      ['New Wi-Fi password', 'Neues WLAN-Passwort'],
      ['Verified codes only', 'Nur geprüfte Codes'],
      ['{name}: off', '{name}: aus'],
    ]),
  )
  onTestFinished(() => {
    document.documentElement.lang = lang
    setCatalogue('en', new Map())
  })
  openStaffApp('/security', {}, owner)
  const card = await screen.findByRole('region', { name: 'Activity' }, { timeout: 20_000 })
  await within(card).findByText('Paused what guests can ask for')
  const until = new Intl.DateTimeFormat('de', { dateStyle: 'medium', timeStyle: 'short' }).format(
    pauses[0]?.until,
  )
  expect(card.textContent).toContain(`: Essen bestellen · ${until} · Küche geschlossen`)
  expect(card.textContent).toContain('Montag: 11:00–14:00 · Dienstag: 11:00–14:00')
  expect(card.textContent).toContain('Samstag: 11:00–14:00 · Sonntag: geschlossen')
  expect(card.textContent).toMatch(/: Nur geprüfte Codes(?!:)/u)
  expect(card.textContent).toContain(': Nur geprüfte Codes: aus')
  expect(card.textContent).toContain(': Blue Door · Neues WLAN-Passwort')
})

it.each([
  ['en-US', 'Monday: 11:00 AM–2:00 PM, 6:30 PM–11:00 PM · Tuesday: closed'],
  ['en-GB', 'Monday: 11:00–14:00, 18:30–23:00 · Tuesday: closed'],
])('the activity says hours on the clock of the reader: %s', async (language, hours) => {
  const languages = vi.spyOn(navigator, 'languages', 'get').mockReturnValue([language])
  onTestFinished(() => languages.mockRestore())
  const { owner } = await app.restaurant({ tables: ['1'] })
  const monday = [
    { from: '11:00', to: '14:00' },
    { from: '18:30', to: '23:00' },
  ]
  await owner.ok(api.opening.setHours, { body: { hours: [monday, [], [], [], [], [], []] } })
  openStaffApp('/security', {}, owner)
  const card = await screen.findByRole('region', { name: 'Activity' }, { timeout: 20_000 })
  await within(card).findByText('Changed the opening hours')
  expect(card.textContent.replaceAll(/\s/gu, ' ')).toContain(`: ${hours}`)
})

it('the owner fills in the guest card, and is told what is wrong with a link', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  openStaffApp('/admin-dashboard/settings', withoutFigures, owner)
  await screen.findByLabelText('Menu', {}, { timeout: 20_000 })
  // Not the region that stood in its place while it was loading.
  const card = within(screen.getByRole('region', { name: 'Guest card' }))
  fill({ Menu: 'menu.example.com', 'Wi-Fi Password': 'guests only' })
  press('button', 'Save Guest Card')
  await waitForToast('Please enter a link that begins with https://')
  fill({ Menu: 'https://menu.example.com' })
  press('button', 'Save Guest Card')
  await waitForToast('Please enter the name of the Wi-Fi')
  fill({ 'Wi-Fi Name': 'Blue Door' })
  press('button', 'Save Guest Card')
  await waitForToast('Guest card saved')
  expect(await owner.ok(api.guestCard.state, {})).toEqual({
    menu: 'https://menu.example.com/',
    pay: '',
    wifiName: 'Blue Door',
    wifiPassword: 'guests only',
  })
  expect(card.getByLabelText<HTMLInputElement>('Menu').value).toBe('https://menu.example.com/')
})
