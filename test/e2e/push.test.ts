import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, startTestApp, type TestApp, type TestBrowser } from '../support/app.ts'
import type { Restaurant } from '../support/busy-restaurant.ts'
import { type PushService, startPushService } from '../support/push-service.ts'
import { openPage, openTab } from './support/browser.ts'
import { createPushSender, fakePushSubscription } from './support/fake-push-manager.ts'
import { accessibilityProblems, press } from './support/locators.ts'
import { viewports, takeScreenshots } from './support/screenshots.ts'
import { signInAs } from './support/sign-in.ts'

let service: PushService
let app: TestApp
beforeAll(async () => {
  service = await startPushService()
  app = await startTestApp(service)
})
afterAll(async () => {
  await app.stop()
  await service.stop()
})

async function managerOf({ name, owner }: Restaurant): Promise<TestBrowser> {
  const body = { restaurantName: name, username: 'boss', password }
  await owner.ok(api.managers.setCredentials, { body })
  const manager = app.browser()
  await manager.ok(api.managers.login, { body })
  return manager
}

async function pageOf(browser: TestBrowser): Promise<Page> {
  const page = await openPage({
    viewport: viewports.phone,
    tolerate: [/\/api\/auth\/user/, /404.*\/api\/qr-codes\/me/],
  })
  await signInAs(page, app, browser)
  return page
}

it('notifies a manager who is not looking at the page, withdraws it, and stops on request', async () => {
  const restaurant = await app.restaurant()
  const page = await pageOf(await managerOf(restaurant))
  const phone = service.device()
  await fakePushSubscription(page, phone)
  await page.goto(`${app.url}/management-dashboard`)
  await page.getByRole('alert').getByText('Nobody is listening', { exact: true }).waitFor()
  await press(page, 'Get alerts on this device')
  await page.getByRole('button', { name: 'Stop alerts on this device' }).waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await takeScreenshots(page, 'management-nobody-listens')
  const pushed = await createPushSender(page, '/management-dashboard')

  const crew = await restaurant.device.connect()
  crew.send({ type: 'get-pending-requests' })
  await page.getByText('Nobody is listening', { exact: true }).waitFor({ state: 'detached' })
  app.advance(3_000)
  crew.close()
  await page.getByRole('alert').getByText('Nobody is listening', { exact: true }).waitFor()
  await expect.poll(() => phone.received.length).toBe(1)
  const otherTab = await openTab(page)
  await otherTab.bringToFront()
  for (const payload of phone.received.splice(0)) await pushed.deliver(payload)
  const alarm = {
    title: 'Nobody is listening',
    body: 'No crew screen is listening right now. Guests are told to wave.',
    tag: 'nobody-listens',
    silent: false,
    stays: true,
    opens: '/management-dashboard',
  }
  await expect.poll(pushed.shown).toEqual([alarm])

  const back = await restaurant.device.connect()
  back.send({ type: 'get-pending-requests' })
  await expect.poll(() => phone.received.length).toBe(1)
  for (const payload of phone.received.splice(0)) await pushed.deliver(payload)
  // A page of the app is visible, so no notification has to remain.
  await expect.poll(pushed.shown).toEqual([])

  await page.bringToFront()
  await press(page, 'Stop alerts on this device')
  await page.getByRole('button', { name: 'Get alerts on this device' }).waitFor()
  app.advance(3_000)
  back.close()
  await page.getByRole('alert').getByText('Nobody is listening', { exact: true }).waitFor()
  await app.whenIdle()
  expect(phone.received).toEqual([])
})

it('notifies an idle phone, and stops once somebody is on the way', async () => {
  const restaurant = await app.restaurant()
  await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const page = await pageOf(restaurant.device)
  await page.addInitScript((name) => sessionStorage.setItem('restaurantId', name), restaurant.name)
  const phone = service.device()
  await fakePushSubscription(page, phone)
  await page.goto(`${app.url}/waiter`)
  await press(page, 'Select your name')
  await page.getByRole('radio', { name: 'Maya' }).click()
  await press(page, 'Start shift')
  await page.getByRole('button', { name: 'Alerts on this phone on' }).waitFor()
  const pushed = await createPushSender(page, '/waiter')
  const deliverNext = async () => {
    await expect.poll(() => phone.received.length).toBeGreaterThan(0)
    for (const payload of phone.received.splice(0)) await pushed.deliver(payload)
  }

  const query = { restaurantId: restaurant.name, tableNumber: '7' }
  const guest = app.browser()
  await guest.ok(api.requests.send, { body: { id: 'tap', ...query, serviceType: 'check' } })
  await deliverNext()
  await expect
    .poll(pushed.shown)
    .toMatchObject([{ title: 'New Request', body: 'Table 7 needs service', tag: 'request-tap' }])
  await press(page, 'On my way')
  await deliverNext()
  await expect.poll(pushed.shown).toEqual([])

  // With the page closed, the phone still receives requests, so somebody is listening.
  await page.goto(`${app.url}/portal-selection`)
  await expect.poll(async () => (await guest.ok(api.requests.mine, { query })).listening).toBe(true)
  await page.goto(`${app.url}/waiter`)
  await page.getByRole('button', { name: 'Alerts on this phone on' }).waitFor()
  await press(page, 'Mark Complete')
  await press(page, 'Me')
  await press(page, 'End shift')
  await page.getByRole('button', { name: 'Alerts on this phone off' }).waitFor()
  await guest.ok(api.requests.send, { body: { ...query, serviceType: 'drinks' } })
  await app.whenIdle()
  expect(phone.received).toEqual([])
})

it('replaces an alert under its tag, and leaves a silent one if no window is visible', async () => {
  const page = await pageOf(await managerOf(await app.restaurant()))
  await fakePushSubscription(page, service.device())
  await page.goto(`${app.url}/management-dashboard`)
  await press(page, 'Get alerts on this device')
  await page.getByRole('button', { name: 'Stop alerts on this device' }).waitFor()
  const pushed = await createPushSender(page, '/management-dashboard')
  const alert = (table: number, more: object = {}, tableside: object = {}) => ({
    web_push: 8030,
    notification: {
      title: 'New Request',
      body: `Table ${table} needs service`,
      navigate: `${app.url}/waiter`,
      tag: `request-${table}`,
      app_badge: 1,
      ...more,
    },
    tableside: { withdraw: false, urgent: false, ...tableside },
  })
  const shownAs = (table: number) => ({
    title: 'New Request',
    body: `Table ${table} needs service`,
    tag: `request-${table}`,
    silent: false,
    stays: false,
    opens: '/waiter',
  })
  await pushed.deliver(alert(7))
  await pushed.deliver(alert(8))
  await pushed.deliver(alert(7, {}, { urgent: true }))
  await expect
    .poll(async () => (await pushed.shown()).toSorted((a, b) => (a.tag < b.tag ? -1 : 1)))
    .toEqual([{ ...shownAs(7), stays: true }, shownAs(8)])
  const onTheWay = (table: number) =>
    alert(table, { title: `Table ${table}`, body: 'Maya is on the way' }, { withdraw: true })
  await pushed.deliver(onTheWay(7))
  await expect.poll(pushed.shown).toEqual([shownAs(8)])
  // Unknown payloads are ignored.
  for (const nonsense of [{}, null, 7, { notification: null, tableside: null }])
    await pushed.deliver(nonsense)
  // Pretends that no window is visible; in a headless browser, all are.
  const [worker] = page.context().serviceWorkers()
  await worker?.evaluate(() => {
    Object.assign(Reflect.get(self, 'clients'), { matchAll: async () => [] })
  })
  await pushed.deliver(onTheWay(8))
  await expect
    .poll(pushed.shown)
    .toEqual([{ ...shownAs(8), title: 'Table 8', body: 'Maya is on the way', silent: true }])

  // Reopening the page shows everything that the notifications said.
  await page.reload()
  await expect.poll(pushed.shown).toEqual([])
})

it('tells the server by itself when the browser renews its subscription', async () => {
  const restaurant = await app.restaurant()
  const page = await pageOf(await managerOf(restaurant))
  await fakePushSubscription(page, service.device())
  await page.goto(`${app.url}/management-dashboard`)
  await press(page, 'Get alerts on this device')
  await page.getByRole('button', { name: 'Stop alerts on this device' }).waitFor()
  const renewed = service.device()
  const [worker] = page.context().serviceWorkers()
  await worker?.evaluate(
    ([endpoint, keys]) => {
      Object.assign(PushManager.prototype, {
        subscribe: async () => ({ toJSON: () => ({ endpoint, keys }) }),
      })
      self.dispatchEvent(Object.assign(new Event('pushsubscriptionchange'), { waitUntil: () => {} }))
    },
    [renewed.endpoint, renewed.keys] as const,
  )
  const stored = () =>
    app.ctx.db.reader
      .selectFrom('pushSubscription')
      .select(['audience', 'crewMemberId'])
      .where('endpoint', '=', renewed.endpoint)
      .execute()
  await expect.poll(stored).toEqual([{ audience: 'manager', crewMemberId: null }])
})

it('can be installed, but not by guests', async () => {
  const { name } = await app.restaurant()
  const page = await openPage({ tolerate: [/\/api\/auth\/user/] })
  await page.goto(app.url)
  const href = await page.locator('link[rel=manifest]').getAttribute('href')
  const manifest = await (await page.request.get(app.url + href)).json()
  expect(manifest).toMatchObject({ name: 'Tableside', start_url: '/waiter', display: 'standalone' })
  for (const { src, sizes } of manifest.icons) {
    const [width] = sizes.split('x').map(Number)
    const size = await page.evaluate(async (src) => {
      const image = new Image()
      image.src = src
      await image.decode()
      return image.naturalWidth
    }, src)
    expect({ src, size }).toEqual({ src, size: width })
  }
  const script = await page.request.get(`${app.url}/service-worker.js`)
  expect(script.headers()).toMatchObject({
    'cache-control': 'no-cache',
    'content-type': expect.stringContaining('javascript'),
  })
  await page.goto(`${app.url}/customer?${new URLSearchParams({ r: name, t: '7' })}`)
  await page.getByRole('heading', { name: 'What do you need?' }).waitFor()
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0)
})
