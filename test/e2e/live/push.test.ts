import type { Page, Worker } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, startTestApp, type TestApp, type TestBrowser } from '../../support/app.ts'
import { type PushService, startPushService } from '../../support/outside/push-service.ts'
import { requestAsCrew } from '../../support/pages/crew-view.ts'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'
import { signInAs } from '../pages/sign-in.ts'
import { openPage, openTab } from '../support/browser.ts'
import { createPushSender, fakePushSubscription, findServiceWorker } from '../support/fake-push-manager.ts'
import { lastingProblems, press } from '../support/locators.ts'
import { neverEscalate } from '../support/never-escalate.ts'
import { viewports, takeScreenshots } from '../support/screenshots.ts'

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

async function pageOf(browser: TestBrowser, locale = 'en-US'): Promise<Page> {
  const page = await openPage({
    locale,
    viewport: viewports.phone,
    serviceWorkers: 'allow',
    tolerate: [/\/api\/auth\/user/],
  })
  await signInAs(page, app, browser)
  return page
}

/** Not before the page has all that it shows: a button that moves away under a press is not pressed. */
async function turnAlertsOn(page: Page): Promise<void> {
  await page.getByRole('alert').getByText('Nobody is listening', { exact: true }).waitFor()
  await expect.poll(() => page.getByRole('status', { name: 'Loading', exact: true }).count()).toBe(0)
  await press(page, 'Get alerts on this device')
  await page.getByRole('button', { name: 'Stop alerts on this device' }).waitFor()
}

it('notifies a manager who is not looking at the page, withdraws it, and stops on request', async () => {
  const restaurant = await app.restaurant()
  const page = await pageOf(await managerOf(restaurant))
  const phone = service.device()
  await fakePushSubscription(page, phone)
  await page.goto(`${app.url}/management-dashboard`)
  await turnAlertsOn(page)
  expect(await lastingProblems(page)).toEqual([])
  await takeScreenshots(page, 'management-nobody-listens')
  const pushed = await createPushSender(page, '/management-dashboard')

  const crew = await restaurant.device.connect()
  crew.send({ type: 'get-pending-requests' })
  await page.getByText('Nobody is listening', { exact: true }).waitFor({ state: 'detached' })
  // On a busy machine it took long enough for an alert, which has been withdrawn.
  await app.whenIdle()
  phone.received.splice(0)
  crew.close()
  app.advance(3_000)
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
    buttons: [],
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
  back.close()
  app.advance(3_000)
  await page.getByRole('alert').getByText('Nobody is listening', { exact: true }).waitFor()
  await app.whenIdle()
  expect(phone.received).toEqual([])
})

/** Maya's phone, on which her shift has begun. Nothing but what the test does alerts it. */
async function startShift(restaurant: Restaurant) {
  const { name, owner, device } = restaurant
  await neverEscalate(restaurant)
  const { id: crewMemberId } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const page = await pageOf(device)
  await page.addInitScript((restaurantId) => sessionStorage.setItem('restaurantId', restaurantId), name)
  const phone = service.device()
  await fakePushSubscription(page, phone)
  await page.goto(`${app.url}/waiter`)
  await press(page, 'Select your name')
  await page.getByRole('radio', { name: 'Maya' }).click()
  await press(page, 'Start shift')
  await page.getByRole('region', { name: 'Heard it?' }).getByText('Alerts on this phone on').waitFor()
  const pushed = await createPushSender(page, '/waiter')
  const deliverAll = async () => {
    for (const payload of phone.received.splice(0)) await pushed.deliver(payload)
  }
  return {
    crewMemberId,
    page,
    phone,
    pushed,
    deliverNext: async () => {
      await expect.poll(() => phone.received.length).toBeGreaterThan(0)
      await deliverAll()
    },
    /** Once what has been sent so far is delivered. */
    shownNext: async () => {
      await deliverAll()
      return await pushed.shown()
    },
  }
}

/** What the service worker takes for the phone's subscription; null: it has none. */
const subscribeWorker = (worker: Worker, endpoint: string | null) =>
  worker.evaluate((endpoint) => {
    const subscription = endpoint === null ? null : { endpoint }
    Object.assign(PushManager.prototype, { getSubscription: async () => subscription })
  }, endpoint)

it('notifies an idle phone, and stops once somebody is on the way', async () => {
  const restaurant = await app.restaurant()
  const { page, phone, pushed, shownNext } = await startShift(restaurant)

  const query = { restaurantId: restaurant.name, tableNumber: '7' }
  const guest = app.browser()
  await guest.ok(api.requests.send, { body: { id: 'tap', ...query, serviceType: 'check' } })
  await expect
    .poll(shownNext)
    .toMatchObject([{ title: 'New Request', body: 'Table 7 needs service', tag: 'request-tap' }])
  await press(page, 'On my way')
  await expect.poll(shownNext).toEqual([])

  // With the page closed, the phone still receives requests, so somebody is listening.
  await page.goto(`${app.url}/portal-selection`)
  await expect.poll(async () => (await guest.ok(api.requests.mine, { query })).listening).toBe(true)
  await page.goto(`${app.url}/waiter`)
  await press(page, 'Mark Complete')
  await press(page, 'Me')
  await page.getByRole('button', { name: 'Alerts on this phone on' }).waitFor()
  await app.whenIdle()
  phone.received.length = 0
  const late = { restaurantId: restaurant.name, tableNumber: '8' }
  await guest.ok(api.requests.send, { body: { ...late, serviceType: 'check' } })
  await expect.poll(() => phone.received.length).toBe(1)
  const [underWay] = phone.received
  await press(page, 'End shift')
  await press(page, 'Me')
  await page.getByRole('button', { name: 'Alerts on this phone off' }).waitFor()
  // What was under way before the shift ended may still arrive.
  await app.whenIdle()
  phone.received.splice(0)
  await guest.ok(api.requests.send, { body: { ...query, serviceType: 'drinks' } })
  await app.whenIdle()
  expect(phone.received).toEqual([])

  // A push that was under way then comes with buttons, too.
  await page.goto(`${app.url}/portal-selection`)
  const tapLate = async (endpoint: string | null, button: string) => {
    await subscribeWorker(pushed.worker, endpoint)
    await pushed.deliver(underWay)
    await pushed.tap(button)
    return await pushed.shown()
  }
  const refusedWith = (body: string) => [{ title: 'Table 8', body, silent: false, buttons: [] }]
  const ended = refusedWith('Alerts have ended on this phone. Open Tableside to go on.')
  const signedOut = refusedWith('Open Tableside and sign in again')
  for (const button of ['On my way', 'Done']) {
    expect(await tapLate(null, button)).toMatchObject(ended)
    // The browser's push service may not have been told.
    expect(await tapLate(phone.endpoint, button)).toMatchObject(ended)
  }
  for (const { id, isOwners } of await restaurant.owner.ok(api.devices.list, {}))
    if (!isOwners) await restaurant.owner.ok(api.devices.signOut, { params: { id } })
  for (const button of ['On my way', 'Done'])
    expect(await tapLate(phone.endpoint, button)).toMatchObject(signedOut)
  const { requests } = await guest.ok(api.requests.mine, { query: late })
  expect(requests).toMatchObject([{ state: 'waiting' }])
})

it('a notification speaks the language of its device', async () => {
  const restaurant = await app.restaurant()
  await neverEscalate(restaurant)
  await restaurant.owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  const page = await pageOf(restaurant.device, 'de-DE')
  await page.addInitScript((name) => sessionStorage.setItem('restaurantId', name), restaurant.name)
  const phone = service.device()
  await fakePushSubscription(page, phone)
  await page.goto(`${app.url}/waiter`)
  await press(page, 'Namen wählen')
  await page.getByRole('radio', { name: 'Maya' }).click()
  await press(page, 'Schicht starten')
  const pushed = await createPushSender(page, '/waiter')
  await expect.poll(() => page.evaluate(async () => (await caches.keys()).includes('push-owner'))).toBe(true)
  await page.getByText('Meldungen auf diesem Telefon an').first().waitFor()
  await app.browser().ok(api.requests.send, {
    body: { restaurantId: restaurant.name, tableNumber: '7', serviceType: 'drinks' },
  })
  await expect.poll(() => phone.received.length).toBe(1)
  await pushed.deliver(phone.received[0])
  await expect
    .poll(() => pushed.shown())
    .toMatchObject([
      { title: 'Neue Anfrage', body: 'Tisch 7 braucht Service', buttons: ['Bin unterwegs', 'Erledigt'] },
    ])
})

it('a request is taken and done on a locked phone, without opening the page', async () => {
  const restaurant = await app.restaurant()
  const { crewMemberId, page, phone, pushed, deliverNext, shownNext } = await startShift(restaurant)
  await subscribeWorker(pushed.worker, phone.endpoint)
  await pushed.worker.evaluate(() => {
    Object.assign(Reflect.get(self, 'clients'), { matchAll: async () => [] })
  })
  await page.goto(`${app.url}/portal-selection`)
  const screen = await restaurant.device.connect()
  screen.send({ type: 'get-pending-requests' })
  const ask = async (tableNumber: string) =>
    (
      await app.browser().ok(api.requests.send, {
        body: { restaurantId: restaurant.name, tableNumber, serviceType: 'check' },
      })
    ).request

  const { id } = await ask('7')
  const alert = { title: 'New Request', body: 'Table 7 needs service', buttons: ['On my way', 'Done'] }
  await expect.poll(shownNext).toMatchObject([alert])
  await pushed.tap('On my way')
  const onIt = { title: 'Table 7', body: 'You’re on it', silent: true, buttons: ['Done'] }
  expect(await pushed.shown()).toMatchObject([onIt])
  expect(await screen.next('request-updated')).toMatchObject({ request: { id, state: 'accepted' } })
  // The withdrawal that tells every other phone leaves it as it is.
  await deliverNext()
  expect(await pushed.shown()).toMatchObject([onIt])
  await pushed.tap('Done')
  expect(await screen.next('request-completed')).toMatchObject({ id, by: { id: crewMemberId } })
  expect(await pushed.shown()).toEqual([])

  // The withdrawal that tells every other phone may still be on its way.
  await app.whenIdle()
  phone.received.length = 0
  const later = await ask('8')
  await expect.poll(shownNext).toMatchObject([{ body: 'Table 8 needs service' }])
  await screen.request({ type: 'accept-request', id: later.id })
  await pushed.tap('On my way')
  expect(await pushed.shown()).toMatchObject([
    { title: 'Table 8', body: 'Too late: Crew is on the way', silent: false, buttons: [] },
  ])

  await app.whenIdle()
  phone.received.length = 0
  await pushed.closeAll()
  const last = await ask('9')
  await expect.poll(shownNext).toMatchObject([{ body: 'Table 9 needs service' }])
  // The network is away at first. What is sent again says how long ago it was tapped.
  await pushed.worker.evaluate(() => {
    const send = fetch
    self.fetch = async () => {
      self.fetch = async (address, sent) => {
        Object.assign(self, { sentAgain: sent?.body })
        return await send(address, sent)
      }
      throw new TypeError('Failed to fetch')
    }
  })
  await pushed.tap('Done')
  expect(await screen.next('request-completed')).toMatchObject({ id: last.id })
  const { ageMs } = JSON.parse(await pushed.worker.evaluate(() => Reflect.get(self, 'sentAgain')))
  // A timer may fire slightly too early.
  expect(ageMs).toBeGreaterThanOrEqual(990)

  await app.whenIdle()
  phone.received.length = 0
  const { id: guardedId } = await ask('10')
  await expect.poll(() => phone.received.length).toBe(1)
  const [guarded] = phone.received
  await restaurant.owner.ok(api.restaurant.change, { body: { pinRequired: true } })
  for (const button of ['On my way', 'Done']) {
    await pushed.deliver(guarded)
    await pushed.tap(button)
    expect(await pushed.shown()).toMatchObject([
      { title: 'Table 10', body: 'Open Tableside and choose your name again', buttons: [] },
    ])
  }
  expect(await requestAsCrew(restaurant.device, guardedId)).toMatchObject({ state: 'waiting' })
})

it('a tap on a locked phone is sent again, or said not to be sent, where something answers in the server’s place', async () => {
  const restaurant = await app.restaurant()
  const { page, phone, pushed, shownNext } = await startShift(restaurant)
  await subscribeWorker(pushed.worker, phone.endpoint)
  await page.goto(`${app.url}/portal-selection`)
  const table = { restaurantId: restaurant.name, tableNumber: '7' }
  const guest = app.browser()
  await guest.ok(api.requests.send, { body: { ...table, serviceType: 'check' } })
  await expect.poll(shownNext).toMatchObject([{ body: 'Table 7 needs service' }])
  await pushed.worker.evaluate(() => {
    const [send, wait] = [fetch, setTimeout]
    const blocked = () => new Response('<h1>Blocked</h1>', { status: 403 })
    self.fetch = async () => blocked()
    // The worker waits for nothing until it is unblocked.
    Object.assign(self, { setTimeout: (task: () => void) => wait(task, 0) })
    Object.assign(self, {
      unblockAtSecondTry() {
        Object.assign(self, { setTimeout: wait })
        self.fetch = async () => {
          self.fetch = send
          return blocked()
        }
      },
    })
  })
  await pushed.tap('On my way')
  expect(await pushed.shown()).toMatchObject([
    {
      title: 'Table 7',
      body: 'Not sent. Check the connection and tap again.',
      silent: false,
      buttons: ['On my way', 'Done'],
    },
  ])
  await pushed.worker.evaluate('unblockAtSecondTry()')
  await pushed.tap('Done')
  expect((await guest.ok(api.requests.mine, { query: table })).requests).toEqual([])
  expect(await pushed.shown()).toEqual([])
})

it('replaces an alert under its tag, and leaves a silent one if no window is visible', async () => {
  const page = await pageOf(await managerOf(await app.restaurant()))
  await fakePushSubscription(page, service.device())
  await page.goto(`${app.url}/management-dashboard`)
  await turnAlertsOn(page)
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
    buttons: [],
  })
  await pushed.deliverTogether(alert(7), alert(8), alert(7, {}, { urgent: true }))
  await expect
    .poll(async () => (await pushed.shown()).toSorted((a, b) => (a.tag < b.tag ? -1 : 1)))
    .toEqual([{ ...shownAs(7), stays: true }, shownAs(8)])
  const onTheWay = (table: number) =>
    alert(table, { title: `Table ${table}`, body: 'Maya is on the way' }, { withdraw: true })
  await pushed.deliver(onTheWay(7))
  await expect.poll(pushed.shown).toEqual([shownAs(8)])
  // A phone that was out of reach gets all that came meanwhile at once.
  await pushed.deliverTogether(alert(9), onTheWay(9))
  await expect.poll(pushed.shown).toEqual([shownAs(8)])
  // Unknown payloads are ignored.
  for (const nonsense of [{}, null, 7, { notification: null, tableside: null }])
    await pushed.deliver(nonsense)
  // Pretends that no window is visible; in a headless browser, all are.
  await pushed.worker.evaluate(() => {
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
  await turnAlertsOn(page)
  const renewed = service.device()
  const worker = await findServiceWorker(page, '/management-dashboard')
  await worker.evaluate(
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

it('the app can be installed, but not by guests', async () => {
  const { name } = await app.restaurant()
  const page = await openPage({ serviceWorkers: 'allow' })
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
