import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { DatabaseUnavailable } from '../../src/server/storage/engine/errors.ts'
import { password, setUpApp, startTestApp, type TestBrowser } from '../support/app.ts'
import { connectScreen, pendingRequests } from '../support/pages/crew-view.ts'
import { holdPasswords } from '../support/restaurants/held-passwords.ts'
import { startTenant } from '../support/restaurants/tenants.ts'

const app = setUpApp({ guestLimits: false })

const ask = async (restaurantId: string, tableNumber = '7') => {
  const body = { restaurantId, tableNumber, serviceType: 'check' } as const
  return (await app.browser().ok(api.requests.send, { body })).request
}

const openRequests = async (browser: TestBrowser) =>
  (await pendingRequests(browser)).requests.map(({ id }) => id)

const sockets = async (): Promise<number> => {
  const metrics = await (await app.browser().fetch('/metrics')).text()
  return Number(/^\w*sockets\w* (\d+)$/mu.exec(metrics)?.[1])
}

describe('a socket being closed', () => {
  it('neither acts nor receives, and is terminated even if the other side does not close it', async () => {
    const { name, owner, device } = await app.restaurant()
    const request = await ask(name)
    const crew = await connectScreen(device)
    const before = await sockets()
    crew.freeze()
    await device.fetch('/api/logout')
    crew.send({ type: 'complete-request', id: request.id })
    const later = await ask(name, '8')
    await expect.poll(sockets).toBe(before - 1)
    expect(await openRequests(owner)).toEqual([request.id, later.id])
    crew.resume()
    await crew.closed
    expect(crew.ofType('new-request')).toEqual([])
  })

  it('drops messages that it sent before and that are still queued', async () => {
    const { name, owner, device } = await app.restaurant()
    const { id } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    await owner.ok(api.crew.change, { params: { id }, body: { pin: '2468' } })
    const request = await ask(name)
    const crew = await connectScreen(device)
    const held = holdPasswords(app, 'verify')
    crew.send({ type: 'set-crew-member-context', crewMemberId: id, pin: '2468' })
    crew.send({ type: 'complete-request', id: request.id })
    await held.reached
    await device.fetch('/api/logout')
    expect(await crew.closed).toBe(4401)
    held.release()
    await app.whenIdle()
    expect(await openRequests(owner)).toEqual([request.id])
  })

  it('belongs to the previous user after another user of the same kind signed in', async () => {
    const tenant = await startTenant(app, 'Harbour House')
    const login = { username: 'tom', password }
    await tenant.owner.ok(api.crew.change, { params: { id: tenant.colleague.id }, body: login })
    const browser = await tenant.enter('crew')
    const first = await browser.connect()
    await browser.ok(api.accounts.crewLogin, { body: login })
    expect(await first.closed).toBe(4401)
    const second = await browser.connect()
    expect(
      await second.request({ type: 'set-crew-member-context', crewMemberId: tenant.colleague.id }),
    ).toMatchObject({ type: 'ack' })
  })
})

describe('a screen that acts as a crew member', () => {
  async function acting() {
    const { owner, device } = await app.restaurant()
    const { id } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    const choose = async () => {
      const screen = await connectScreen(device)
      return { screen, answer: await screen.request({ type: 'set-crew-member-context', crewMemberId: id }) }
    }
    const { screen } = await choose()
    return { owner, params: { id }, screen, choose }
  }

  it('must select the name again when the member gets a PIN', async () => {
    const { owner, params, screen, choose } = await acting()
    await owner.ok(api.crew.change, { params, body: { pin: '2468' } })
    expect(await screen.closed).toBe(1012)
    expect((await choose()).answer).toMatchObject({ code: 'pin_required' })
  })

  it('must enter the new PIN when it changes', async () => {
    const { owner, params, screen, choose } = await acting()
    await owner.ok(api.crew.change, { params, body: { pin: '2468' } })
    await screen.closed
    const again = (await choose()).screen
    const unlock = { type: 'set-crew-member-context', crewMemberId: params.id, pin: '2468' } as const
    expect(await again.request(unlock)).toMatchObject({ type: 'ack' })
    await owner.ok(api.crew.change, { params, body: { pin: '1357' } })
    expect(await again.closed).toBe(1012)
    expect((await choose()).answer).toMatchObject({ code: 'pin_required' })
  })

  it('acts as nobody once the member is removed', async () => {
    const { owner, params, screen, choose } = await acting()
    await owner.ok(api.crew.remove, { params })
    expect(await screen.closed).toBe(1012)
    expect((await choose()).answer).toMatchObject({ code: 'not_found' })
  })

  it('acts in the new role when it changes, and stays selected when nothing changes', async () => {
    const { owner, params, screen, choose } = await acting()
    await owner.ok(api.crew.change, { params, body: { username: 'maya-in', password } })
    expect(await screen.request({ type: 'ping' })).toMatchObject({ type: 'ack' })
    await owner.ok(api.crew.change, { params, body: { role: 'Host' } })
    expect(await screen.closed).toBe(1012)
    expect((await choose()).answer).toMatchObject({ type: 'ack' })
  })
})

describe('a screen with the login of a crew member', () => {
  async function signedIn() {
    const { owner, name } = await app.restaurant({ tables: ['7'] })
    const { id } = await owner.ok(api.crew.add, { body: { name: 'Ines', role: 'Server' } })
    const login = { username: `ines-${id}`, password }
    await owner.ok(api.crew.change, { params: { id }, body: login })
    const browser = app.browser()
    await browser.ok(api.accounts.crewLogin, { body: login })
    return { owner, name, params: { id }, screen: await connectScreen(browser) }
  }

  it('stays connected, and acts under the new name and role', async () => {
    const { owner, params, screen, name } = await signedIn()
    await owner.ok(api.crew.change, { params, body: { name: 'Inês', role: 'Host', pin: '2468' } })
    const request = await ask(name)
    expect(await screen.request({ type: 'accept-request', id: request.id })).toMatchObject({
      type: 'ack',
      request: { acceptedBy: { name: 'Inês' } },
    })
  })

  it('is signed out when the login ends, even if renamed at the same moment', async () => {
    const { owner, params, screen } = await signedIn()
    await owner.ok(api.crew.change, { params, body: { name: 'Inês', role: 'Host', username: null } })
    expect(await screen.closed).toBe(4401)
  })
})

it('a socket whose login cannot be checked does nothing, and is closed after a few seconds', async () => {
  const own = await startTestApp()
  const { name, owner, device } = await own.restaurant()
  const body = { restaurantId: name, tableNumber: '7', serviceType: 'check' } as const
  const { request } = await own.browser().ok(api.requests.send, { body })
  const crew = await connectScreen(device)
  const { db } = own.ctx
  const { reader } = db
  db.reader = new Proxy(reader, {
    get() {
      throw new DatabaseUnavailable()
    },
  })
  own.advance(6_000)
  expect(await crew.request({ type: 'complete-request', id: request.id })).toMatchObject({
    type: 'error',
    code: 'unavailable',
  })
  own.advance(6_000)
  expect(await crew.closed).toBe(1012)
  db.reader = reader
  expect(await openRequests(owner)).toEqual([request.id])
  await own.stop()
})
