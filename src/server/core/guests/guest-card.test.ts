import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import { wifiCode } from './guest-card-page.ts'

const app = setUpApp({ guestLimits: false })
const changedMeanwhile = 'Somebody else has changed this meanwhile. Please check what is there now.'
const empty = { menu: '', pay: '', wifiName: '', wifiPassword: '' }
const full = {
  menu: 'https://menu.example.com/tonight.pdf',
  pay: 'https://pay.example.com/tip',
  wifiName: 'Blue; "Door"',
  wifiPassword: String.raw`pass\word:1`,
}

const pathOf = (query: Record<string, string>, page = '/customer'): string =>
  `${page}?${new URLSearchParams(query).toString()}`
const open = async (browser: TestBrowser, query: Record<string, string>): Promise<string> =>
  (await browser.fetch(pathOf(query, '/customer/card'))).text()
/** With the proof of the restaurant's printed code. */
async function proofOf(owner: TestBrowser): Promise<string> {
  const { guestLink } = await owner.ok(api.restaurant.settings, {})
  return new URL(guestLink).searchParams.get('k') ?? ''
}

it('the guest card is off until the owner puts something on it, and comes to open pages', async () => {
  const { owner, name } = await app.restaurant({ tables: ['4'] })
  const at = { restaurantId: name, tableNumber: '4' }
  const guest = app.browser()
  const mine = async () => await guest.ok(api.requests.mine, { query: at })
  expect(await mine()).not.toHaveProperty('card')
  expect(await owner.ok(api.guestCard.state, {})).toEqual(empty)
  expect(await (await guest.fetch(pathOf({ r: name, t: '4' }))).text()).not.toContain('<nav')
  const phone = await guest.connect()
  onTestFinished(() => phone.close())
  await phone.request({ type: 'set-restaurant-context', ...at })
  expect(await owner.ok(api.guestCard.set, { body: full })).toEqual(full)
  await phone.next('table-changed')
  const card = { menu: full.menu, pay: full.pay, wifi: '' }
  expect((await mine()).card).toEqual(card)
  expect(await phone.request({ type: 'set-restaurant-context', ...at })).toMatchObject({ card })
  await owner.ok(api.opening.setHours, { body: { hours: week } })
  expect((await mine()).card).toEqual({ ...card, hours: '' })
  const kept = await (await guest.fetch(pathOf({ r: name, t: '4', kept: 'en' }))).text()
  expect(kept).toContain('menu.example.com')
  await owner.ok(api.guestCard.set, { body: empty })
  expect(await mine()).not.toHaveProperty('card')
})

const week = Array.from({ length: 7 }, (_, day) => (day === 0 ? [] : [{ from: '18:00', to: '01:00' }]))

it('the guest card shows the Wi-Fi only with a valid code, and everything else to anybody', async () => {
  const { owner, name } = await app.restaurant({ tables: ['4'] })
  await owner.ok(api.guestCard.set, { body: full })
  await owner.ok(api.opening.setHours, { body: { hours: week } })
  const [guest, stranger] = [app.browser(), app.browser()]
  const locked = await open(stranger, { r: name, t: '4' })
  expect(locked).toContain('Please scan the code on your table.')
  expect(locked).toMatch(/Monday.*Closed.*Tuesday.*6:00.PM.*–.*1:00.AM/su)
  expect(locked).not.toContain('word:1')
  expect(locked).not.toContain('data:image')
  expect(await open(stranger, { r: name, t: '4', k: '1.made-up' })).not.toContain('word:1')

  // The visit remembers the code.
  await guest.fetch(pathOf({ r: name, t: '4', k: await proofOf(owner) }))
  const shown = await open(guest, { r: name, t: '4' })
  expect(shown).toContain(String.raw`pass\word:1`)
  expect(shown).toContain('data:image/svg+xml')
  expect(await (await guest.fetch(pathOf({ r: name, t: '4' }))).text()).not.toContain('word:1')

  // Back to the visit, which the device keeps under the names in its link.
  expect(await open(guest, { r: name.toLowerCase(), t: '4' })).toContain(
    `href="${pathOf({ r: name.toLowerCase(), t: '4' }).replace('&', '&amp;')}"`,
  )

  const opened = await guest.fetch(pathOf({ r: name, t: '4' }, '/customer/card'))
  expect(opened.headers.get('content-security-policy')).not.toContain('unsafe-inline')
  for (const query of [{ r: name }, { r: name, t: '99' }, { r: 'Nowhere', t: '4' }]) {
    const response = await stranger.fetch(pathOf(query, '/customer/card'), { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([303, pathOf(query)])
  }
})

it('the guest card hides the Wi-Fi again when the visit is over', async () => {
  const { owner, name } = await app.restaurant({ tables: ['4'] })
  await owner.ok(api.guestCard.set, { body: { ...empty, wifiName: 'Open house' } })
  const guest = app.browser()
  const k = await proofOf(owner)
  expect(await open(guest, { r: name, t: '4', k })).toContain('No password')
  app.advance(4 * 3_600_000)
  const late = await open(guest, { r: name, t: '4', k })
  expect(late).not.toContain('Open house')
  expect(late).toContain('Please scan the code on your table.')
})

it('the guest card is recorded without the password', async () => {
  const { owner } = await app.restaurant({ tables: ['4'] })
  await owner.ok(api.guestCard.set, { body: full })
  await owner.ok(api.guestCard.set, { body: { ...full, pay: '' } })
  const { entries } = await owner.ok(api.audit.list, { query: {} })
  const { wifiPassword: _, ...shown } = full
  expect(entries.filter(({ action }) => action === 'guestCard.set').map(({ detail }) => detail)).toEqual([
    { ...shown, pay: '', passwordChanged: false },
    { ...shown, passwordChanged: true },
  ])
})

it('keeps what another owner has changed on the guest card, and refuses what both changed', async () => {
  const { owner, name } = await app.restaurant({ tables: ['4'] })
  const other = app.browser()
  await other.ok(api.accounts.ownerLogin, { body: { username: name, password } })
  await owner.ok(api.guestCard.set, { body: full })

  await Promise.all([
    owner.ok(api.guestCard.set, { body: { ...full, menu: 'https://menu.example.com/lunch', was: full } }),
    other.ok(api.guestCard.set, { body: { ...full, pay: '', was: full } }),
  ])
  const both = { ...full, menu: 'https://menu.example.com/lunch', pay: '' }
  expect(await owner.ok(api.guestCard.state, {})).toEqual(both)

  // A network and its password belong together.
  const renamed = { ...both, wifiName: 'Red Door' }
  expect(await owner.ok(api.guestCard.set, { body: { ...renamed, was: both } })).toEqual(renamed)
  expect(
    await other.call(api.guestCard.set, { body: { ...both, wifiPassword: 'another one', was: both } }),
  ).toMatchObject({ status: 409, body: { code: 'conflict', message: changedMeanwhile } })
  expect(await other.ok(api.guestCard.set, { body: { ...renamed, was: both } })).toEqual(renamed)
  expect(await other.ok(api.guestCard.set, { body: { ...both, was: both } })).toEqual(renamed)
})

const link = 'Please enter a link that begins with https://'
it.each([
  [{ menu: 'http://menu.example.com' }, link],
  [{ menu: 'javascript:alert(1)' }, link],
  [{ menu: 'data:text/html,<script>alert(1)</script>' }, link],
  [{ menu: 'https://bank.example.com@evil.example.com/' }, link],
  [{ menu: 'https://' }, link],
  [{ menu: 'https://a b.example.com' }, link],
  [{ menu: 'https://menu.example.com/\nx' }, link],
  [{ pay: 'menu.example.com' }, link],
  [{ pay: 42 }, link],
  [{ pay: `https://pay.example.com/${'x'.repeat(500)}` }, 'Please use at most 500 characters'],
  [{ wifiName: 'é'.repeat(17) }, 'The network name is too long or has hidden characters'],
  [{ wifiName: 'Blue\u202EDoor' }, 'The network name is too long or has hidden characters'],
  [{ wifiName: 'Door', wifiPassword: '1234567' }, 'A Wi-Fi password must have 8 to 63 characters'],
  [{ wifiName: 'Door', wifiPassword: 'a'.repeat(64) }, 'A Wi-Fi password must have 8 to 63 characters'],
  [{ wifiPassword: '12345678' }, 'Please enter the name of the Wi-Fi'],
])('refuses %o', async (malicious, message) => {
  const { owner } = await app.restaurant({ tables: ['4'] })
  const input: unknown = { ...empty, ...malicious }
  const response = await owner.fetch('/api/guest-card', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  expect([response.status, (await response.json()).message]).toEqual([400, message])
  expect(await owner.ok(api.guestCard.state, {})).toEqual(empty)
})

it('the guest card stores links as browsers read them', async () => {
  const { owner } = await app.restaurant({ tables: ['4'] })
  const saved = await owner.ok(api.guestCard.set, {
    body: { ...empty, menu: ' https://MÜNCHEN.example/Karte ' },
  })
  expect(saved.menu).toBe('https://xn--mnchen-3ya.example/Karte')
})

it('the code of the Wi-Fi can be read by phones', () => {
  expect(wifiCode(full.wifiName, full.wifiPassword)).toBe(
    String.raw`WIFI:T:WPA;S:Blue\; \"Door\";P:pass\\word\:1;;`,
  )
  expect(wifiCode('Open, house', '')).toBe(String.raw`WIFI:T:nopass;S:Open\, house;;`)
})
