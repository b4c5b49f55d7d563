import { describe, expect, it } from 'vitest'
import type { NewDeviceCode } from '#contract/accounts/devices.ts'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { password, setUpApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { uniqueAddress, currentGrants, postFrom } from '../../../../../test/support/restaurants/logins.ts'

const app = setUpApp({ trustProxy: ['loopback'] })

const newCode = (by: TestBrowser): Promise<NewDeviceCode> => by.ok(api.devices.createCode, {})
const tokenOf = ({ link }: NewDeviceCode): string => link.split('#')[1] ?? ''
const stateOf = async (by: TestBrowser, { id }: NewDeviceCode) =>
  (await by.ok(api.devices.code, { params: { id } })).state

const byDigits = (
  name: string,
  digits: string,
  { browser = app.browser(), address = uniqueAddress() } = {},
) => postFrom(browser, '/api/device-login', { restaurantName: name, digits }, address)
const byLink = (code: NewDeviceCode, browser = app.browser()) =>
  browser.call(api.devices.linkLogin, { body: { token: tokenOf(code) } })

const wrongDigits = ({ digits }: NewDeviceCode): string =>
  String((Number(digits) + 1) % 1_000_000).padStart(6, '0')

describe('a device code', () => {
  it("signs in one device by its digits and the restaurant's name", async () => {
    const { name, owner } = await app.restaurant()
    const code = await newCode(owner)
    expect(code.digits).toMatch(/^\d{6}$/u)
    const [tablet, second] = [app.browser(), app.browser()]
    const spelled = `${code.digits.slice(0, 3)} ${code.digits.slice(3)}`
    expect(await byDigits(name.toUpperCase(), spelled, { browser: tablet })).toMatchObject({
      status: 200,
      body: { restaurantName: name },
    })
    expect(await currentGrants(tablet)).toEqual(['device'])
    const screen = await tablet.connect()
    expect(await screen.request({ type: 'get-pending-requests' })).toMatchObject({ type: 'ack' })
    expect((await byDigits(name, code.digits, { browser: second })).status).toBe(404)
    expect((await byLink(code, second)).status).toBe(404)
    expect(await currentGrants(second)).toEqual([])
  })

  it('signs in one device by its link, which shows the restaurant first', async () => {
    const { name, owner } = await app.restaurant()
    const code = await newCode(owner)
    const phone = app.browser()
    expect(code.link).toMatch(/\/device#[\w-]{32}$/u)
    expect(code.qr).toMatch(/^data:image\/png;base64,/u)
    const body = { token: tokenOf(code) }
    expect(await phone.ok(api.devices.link, { body })).toEqual({ restaurantName: name })
    expect(await currentGrants(phone)).toEqual([])
    await phone.ok(api.devices.linkLogin, { body: { ...body, deviceName: ' Kitchen  tablet ' } })
    expect(await currentGrants(phone)).toEqual(['device'])
    expect(await owner.ok(api.devices.code, { params: { id: code.id } })).toEqual({
      state: 'used',
      usedBy: 'Kitchen tablet',
    })
    expect((await phone.call(api.devices.link, { body })).status).toBe(404)
  })

  it('signs in exactly one of many simultaneous devices', async () => {
    const { name, owner } = await app.restaurant()
    for (let round = 0; round < 4; round++) {
      const code = await newCode(owner)
      const answers = await Promise.all([
        ...[1, 2, 3].map(() => byDigits(name, code.digits)),
        ...[1, 2, 3].map(() => byLink(code)),
      ])
      const statuses = answers.map(({ status }) => status)
      expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404, 404, 404])
    }
  })

  it('expires after 15 minutes, and ends when it is cancelled or replaced', async () => {
    const { name, owner } = await app.restaurant()
    const [replaced, code] = [await newCode(owner), await newCode(owner)]
    expect((await byLink(replaced)).status).toBe(404)
    expect((await byDigits(name, replaced.digits)).status).toBe(404)
    await owner.ok(api.devices.cancelCode, { params: { id: code.id } })
    expect((await byLink(code)).status).toBe(404)
    const late = await newCode(owner)
    app.advance(15 * minuteMs)
    expect(await stateOf(owner, late)).toBe('over')
    expect((await byLink(late)).status).toBe(404)
    expect((await byDigits(name, late.digits)).status).toBe(404)
  })

  it('ends when its maker is removed or the password changes', async () => {
    const { name, owner } = await app.restaurant()
    await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
    const manager = app.browser()
    await manager.ok(api.managers.login, { body: { restaurantName: name, username: 'boss', password } })
    const code = await newCode(manager)
    const { managers = [] } = await owner.ok(api.managers.currentUser, {})
    await owner.ok(api.managers.remove, { params: { id: managers[0]?.id ?? '' } })
    expect((await byLink(code)).status).toBe(404)

    const own = await newCode(owner)
    const change = { password: 'another-lantern-43', currentPassword: password }
    await owner.ok(api.accounts.setPassword, { body: change })
    expect((await byLink(own)).status).toBe(404)
  })

  it('makes nobody a manager', async () => {
    const { name, owner } = await app.restaurant()
    const tablet = app.browser()
    await byLink(await newCode(owner), tablet)
    const body = { restaurantName: name, username: 'thief', password }
    expect(await tablet.call(api.managers.setup, { body })).toMatchObject({ status: 403 })
  })

  it('cannot be read again', async () => {
    const { owner } = await app.restaurant()
    const code = await newCode(owner)
    await byLink(code)
    const rows = await app.ctx.db.reader.selectFrom('deviceCode').selectAll().execute()
    const kept = JSON.stringify(rows) + app.lines.join('')
    expect(kept).not.toContain(tokenOf(code))
    expect(JSON.stringify(rows)).not.toContain(code.digits)
  })
})

describe('guessing the digits', () => {
  it('is refused after eight attempts from anywhere, while the link still works', async () => {
    const { name, owner } = await app.restaurant()
    const code = await newCode(owner)
    const tries = await Promise.all(Array.from({ length: 12 }, () => byDigits(name, wrongDigits(code))))
    expect(tries.map(({ status }) => status)).toEqual(tries.map(() => 404))
    expect(await stateOf(owner, code)).toBe('link-only')
    expect((await byDigits(name, code.digits)).status).toBe(404)
    expect((await byLink(code)).status).toBe(200)
  })

  it("from one address is refused before it uses up the code's attempts", async () => {
    const { name, owner } = await app.restaurant()
    const code = await newCode(owner)
    const address = uniqueAddress()
    for (let tries = 0; tries < 4; tries++)
      expect((await byDigits(name, wrongDigits(code), { address })).status).toBe(404)
    const refused = await byDigits(name, code.digits, { address })
    expect(refused).toMatchObject({
      status: 429,
      body: { message: expect.stringContaining('scan the code') },
    })
    expect((await byDigits(name, code.digits)).status).toBe(200)
  })

  it('of one restaurant after another is refused, too', async () => {
    const address = uniqueAddress()
    const statuses: number[] = []
    for (let tries = 0; tries < 21; tries++)
      statuses.push((await byDigits(`Nowhere ${tries}`, '123456', { address })).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 404), 429])
  })

  it('does not reveal which restaurants exist or have a code', async () => {
    const { name, owner } = await app.restaurant()
    const without = await byDigits(name, '123456')
    const nowhere = await byDigits('No Such Place', '123456')
    const code = await newCode(owner)
    const wrongly = await byDigits(name, wrongDigits(code))
    expect([nowhere.body, wrongly.body]).toEqual([without.body, without.body])
  })
})
