import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs, hourMs, minuteMs } from '#contract/durations.ts'
import { password, setUpApp, startTestApp, type TestBrowser } from '../../../../../test/support/app.ts'
import { currentGrants } from '../../../../../test/support/restaurants/logins.ts'
import type { GrantKind } from '../../actor.ts'
import { lifetimes } from './sessions.ts'

const app = setUpApp({ trustProxy: ['loopback'] })

/** A browser with this one grant. */
async function holding(kind: GrantKind): Promise<TestBrowser> {
  const { name, owner, device } = await app.restaurant()
  const browser = app.browser()
  if (kind === 'device') return device
  if (kind === 'owner') await browser.ok(api.accounts.ownerLogin, { body: { username: name, password } })
  if (kind === 'manager') {
    await owner.ok(api.managers.setCredentials, { body: { username: 'boss', password } })
    await browser.ok(api.managers.login, { body: { restaurantName: name, username: 'boss', password } })
  }
  if (kind === 'crew') {
    const { id } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    await owner.ok(api.crew.change, { params: { id }, body: { username: id, password } })
    await browser.ok(api.accounts.crewLogin, { body: { username: id, password } })
  }
  return browser
}

describe.for([
  ['device', 7 * dayMs, 30 * dayMs],
  ['crew', 12 * hourMs, 16 * hourMs],
  ['manager', 2 * hourMs, 12 * hourMs],
  ['owner', 2 * hourMs, 12 * hourMs],
] as const)('the %s login', ([kind, idle, absolute]) => {
  it('expires when it is not used', async () => {
    expect(lifetimes[kind]).toEqual({ idle, absolute })
    const [used, unused] = [await holding(kind), await holding(kind)]
    app.advance(idle - 2 * minuteMs)
    expect(await currentGrants(used)).toEqual([kind])
    app.advance(2 * minuteMs)
    expect(await currentGrants(used)).toEqual([kind])
    expect(await currentGrants(unused)).toEqual([])
  })

  it('expires after its maximum time, however much it is used', async () => {
    const browser = await holding(kind)
    const step = Math.min(idle, absolute) / 2
    let left = absolute - 2 * minuteMs
    while (left > 0) {
      app.advance(Math.min(step, left))
      left -= step
      expect(await currentGrants(browser)).toEqual([kind])
    }
    app.advance(2 * minuteMs)
    expect(await currentGrants(browser)).toEqual([])
  })
})

describe('a login', () => {
  it('is kept alive only by operations that need it', async () => {
    const { owner, name } = await app.restaurant()
    for (let quarters = 0; quarters < 9; quarters++) {
      app.advance(15 * minuteMs)
      await owner.ok(api.crew.byRestaurant, { query: { restaurantId: name } })
      await owner.ok(api.requests.mine, { query: { restaurantId: name, tableNumber: '7' } })
    }
    expect(await currentGrants(owner)).toEqual(['device'])
  })

  it("is not kept alive by a guest's operations", async () => {
    const { device, name } = await app.restaurant()
    for (let halfDays = 0; halfDays < 15; halfDays++) {
      app.advance(12 * hourMs)
      await device.ok(api.requests.mine, { query: { restaurantId: name, tableNumber: String(halfDays) } })
    }
    expect(await currentGrants(device)).toEqual([])
  })

  it('closes its socket at the next message after it expired', async () => {
    const owner = await holding('owner')
    const socket = await owner.connect()
    app.advance(2 * hourMs)
    socket.send({ type: 'get-pending-requests' })
    expect(await socket.closed).toBe(4401)
    expect(socket.ofType('pending-requests')).toEqual([])
  })
})

describe('signing out', () => {
  it('ends the session and its sockets, but no other session', async () => {
    const { name, device } = await app.restaurant()
    const other = app.browser()
    await other.ok(api.accounts.restaurantLogin, { body: { restaurantName: name, password } })
    const [closing, staying] = [await device.connect(), await other.connect()]
    const cookie = device.cookieHeader
    const answer = await device.fetch('/api/logout?returnTo=/restaurant-login')
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('/restaurant-login')
    expect(await closing.closed).toBe(4401)
    expect(device.cookies.has('tsr')).toBe(false)
    const thief = app.browser()
    expect((await thief.fetch('/api/session', { headers: { cookie } })).status).toBe(401)
    expect(await staying.request({ type: 'ping' })).toMatchObject({ type: 'ack' })
    expect(await currentGrants(other)).toEqual(['device'])
  })

  it("cannot be triggered by another site's page", async () => {
    const { device } = await app.restaurant()
    const answer = await device.fetch('/api/logout', { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(await answer.text()).toContain('Sign out?')
    expect(await currentGrants(device)).toEqual(['device'])
  })

  it.for(['/api/logout', '/api/login'])('at %s leads nowhere but here', async (path) => {
    for (const away of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      '/%2e//evil.example',
      'javascript:alert(1)',
      '/\r\nset-cookie: a=b',
    ]) {
      const answer = await app.browser().fetch(`${path}?returnTo=${encodeURIComponent(away)}`)
      expect(answer.status).toBe(302)
      const to = new URL(decodeURIComponent(answer.headers.get('location') ?? ''), app.url)
      expect({ away, origin: to.origin }).toEqual({ away, origin: app.url })
      expect(to.href).not.toContain('//evil')
    }
  })
})

describe('a cookie', () => {
  const attributes = (headers: Headers) =>
    headers.getSetCookie().map((cookie) => cookie.replace(/=[\w-]{32,38};/u, '=…;'))

  it('cannot be reached by scripts and other sites', async () => {
    const { name } = await app.restaurant()
    const login = await app
      .browser()
      .call(api.accounts.restaurantLogin, { body: { restaurantName: name, password } })
    expect(attributes(login.headers)).toEqual([
      'tsr=…; Path=/; HttpOnly; SameSite=Lax',
      'tsr_d=…; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax',
    ])
    const guest = await app.browser().fetch(`/customer?r=${encodeURIComponent(name)}`)
    expect(attributes(guest.headers)).toEqual(['tsr_g=…; Max-Age=14400; Path=/; HttpOnly; SameSite=Lax'])
  })

  it('is bound to this host and to https where the installation uses https', async () => {
    const secure = await startTestApp({ publicUrl: 'https://tables.example.com' })
    try {
      const browser = secure.browser()
      const body = { restaurantName: 'Secure Place', email: 'a@example.com', password }
      const login = await browser.call(api.accounts.signUp, { body })
      expect(attributes(login.headers)).toEqual([
        '__Host-tsr=…; Path=/; HttpOnly; Secure; SameSite=Lax',
        '__Host-tsr_d=…; Max-Age=34560000; Path=/; HttpOnly; Secure; SameSite=Lax',
      ])
      expect(login.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
      const guest = await browser.fetch('/customer')
      expect(attributes(guest.headers)).toEqual([
        '__Host-tsr_g=…; Max-Age=14400; Path=/; HttpOnly; Secure; SameSite=Lax',
      ])
      expect(await browser.ok(api.accounts.session, {})).toMatchObject({ restaurantName: 'Secure Place' })
    } finally {
      await secure.stop()
    }
  })
})
