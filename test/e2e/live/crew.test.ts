import { randomUUID } from 'node:crypto'
import type { Page, WebSocketRoute } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew.ts'
import type { ServiceRequest, ServiceType } from '#contract/requests.ts'
import { password as ownPassword, setUpApp, type TestApp, type TestBrowser } from '../../support/app.ts'
import { overflowingElements, smallTargets, violations } from '../support/accessibility.ts'
import { openNetwork, openPage, type PageOptions, serverAwayErrors } from '../support/browser.ts'
import { ticket } from '../support/crew-screen.ts'
import { press, toast } from '../support/locators.ts'
import { neverEscalate } from '../support/never-escalate.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'
import { signInToRestaurant } from '../support/sign-in.ts'
import { stopTime } from '../support/time.ts'

type Restaurant = Awaited<ReturnType<TestApp['restaurant']>>

const app = setUpApp({ guestLimits: false })
let restaurant: Restaurant

const tables = ['1', '2', '3', '4', '7', '12', '21', 'Patio 3']
const today = (): string => {
  const now = new Date()
  const pad = (part: number): string => String(part).padStart(2, '0')
  return `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`
}

beforeEach(async () => {
  restaurant = await app.restaurant({ tables })
})

async function hire(
  name: string,
  role: CrewMember['role'] = 'Server',
  ...numbers: string[]
): Promise<CrewMember> {
  const member = await restaurant.owner.ok(api.crew.add, { body: { name, role } })
  const all = await restaurant.owner.ok(api.floor.tables, {})
  const assignments = all
    .filter(({ tableNumber }) => numbers.includes(tableNumber))
    .map(({ id }) => ({ tableId: id, crewMemberId: member.id }))
  if (assignments.length > 0)
    await restaurant.owner.ok(api.floor.assign, { body: { date: today(), assignments } })
  return member
}

let asked = 0

async function ask(tableNumber: string, serviceType: ServiceType = 'drinks'): Promise<ServiceRequest> {
  // Requests of the same millisecond are ordered by their ids.
  const id = `${String(++asked).padStart(4, '0')}-${randomUUID()}`
  const { request } = await app.browser().ok(api.requests.send, {
    body: { id, restaurantId: restaurant.name, tableNumber, serviceType },
  })
  return request
}

/** A page of the restaurant's device, as after /restaurant-login. */
async function signedIn(options: PageOptions = {}, as?: TestBrowser): Promise<Page> {
  const page = await openPage({ viewport: viewports.tablet, tolerate: [/\/api\/auth\/user/], ...options })
  await signInToRestaurant(page, app, restaurant, as)
  return page
}

async function visitDashboard(page: Page): Promise<void> {
  await page.goto(`${app.url}/waiter`)
  await page.getByText('Live', { exact: true }).waitFor()
}

async function openDashboard(options?: PageOptions, as?: TestBrowser): Promise<Page> {
  const page = await signedIn(options, as)
  await visitDashboard(page)
  return page
}

/** A dashboard whose time can be stopped. */
async function openTimedDashboard(): Promise<Page> {
  const page = await signedIn()
  await page.clock.install()
  await visitDashboard(page)
  return page
}

async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Select your name' }).click()
  await page.getByRole('radio', { name }).click()
  await page.getByRole('dialog', { name: 'Select Your Name' }).waitFor({ state: 'detached' })
}

/** Returns a function that counts the notes played. */
async function withEars(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    Object.assign(window, { notes: 0 })
    const Silent = OscillatorNode
    window.OscillatorNode = class extends Silent {
      override start(at?: number): void {
        Object.assign(window, { notes: Number(Reflect.get(window, 'notes')) + 1 })
        super.start(at)
      }
    }
  })
  return () => page.evaluate(() => Number(Reflect.get(window, 'notes')))
}

describe('a request', () => {
  it('rings on every crew screen, is marked new for 5 seconds, and shows the guest that it was seen', async () => {
    const first = await signedIn()
    const notes = await withEars(first)
    await first.clock.install()
    await visitDashboard(first)
    const second = await openTimedDashboard()
    await first.getByText('No active requests').waitFor()
    await first.getByRole('button', { name: 'Tap for sound' }).click()
    await first.getByRole('button', { name: 'Sound on' }).waitFor()

    for (const page of [first, second]) await stopTime(page)
    const request = await ask('4', 'check')
    const newBadge = ticket(first, '4').getByText('NEW', { exact: true })
    for (const page of [first, second]) {
      await ticket(page, '4').getByText('NEW', { exact: true }).waitFor()
      await expect
        .poll(() => ticket(page, '4').innerText())
        .toMatch(/^Table\s*4\s+Check\/Bill\s+\d+s ago\s+NEW/)
      await expect.poll(() => toast(page).innerText()).toMatch(/^New Request\s+Table 4 needs service/)
      await page.getByText('1 Active').waitFor()
    }
    await expect.poll(notes).toBe(2)
    await press(ticket(second, '4'), 'Unverified')
    await toast(second).getByText('It was sent without the code on the table.').waitFor()
    await expect.poll(() => first.title()).toBe('(1) Crew Dashboard · Tableside')
    await first.clock.runFor(4_900)
    expect(await newBadge.count()).toBe(1)
    expect(await notes()).toBe(2)
    await first.clock.runFor(200)
    await expect.poll(() => newBadge.count()).toBe(0)
    await expect.poll(() => seenBy(request)).toBeGreaterThan(0)
  })

  it('rings again every 10 seconds until somebody is on the way, except where the sound is off', async () => {
    await neverEscalate(restaurant)
    const page = await signedIn()
    const notes = await withEars(page)
    await page.clock.install()
    await visitDashboard(page)
    await press(page, 'Tap for sound')
    await page.getByRole('button', { name: 'Sound on' }).waitFor()
    await stopTime(page)
    await ask('4')
    await ticket(page, '4').waitFor()
    await expect.poll(notes).toBe(2)
    await page.clock.runFor(10_000)
    await expect.poll(notes).toBe(4)
    await press(page, 'Sound on')
    await page.getByRole('button', { name: 'Sound off' }).waitFor()
    await page.clock.runFor(10_000)
    await press(page, 'Sound off')
    await press(ticket(page, '4'), 'On my way')
    // The list shows it in the next frame.
    await page.clock.runFor(100)
    await ticket(page, '4').getByText('Crew is on the way').waitFor()
    await page.clock.runFor(30_000)
    expect(await notes()).toBe(4)
  })

  it('shares one toast with others', async () => {
    const page = await openTimedDashboard()
    await stopTime(page)
    await Promise.all([ask('1'), ask('2'), ask('2', 'food'), ask('3')])
    await expect.poll(() => toast(page).innerText()).toMatch(/^New Request\s+3 tables need service/)
    await page.getByText('4 Active').waitFor()
  })

  it('shows how often it was sent', async () => {
    const page = await openDashboard()
    await ask('7')
    await ask('7')
    await ticket(page, '7').getByText('asked 2×').waitFor()
    await page.getByText('1 Active').waitFor()
  })
})

async function seenBy({ id }: ServiceRequest): Promise<number> {
  const socket = await restaurant.device.connect()
  socket.send({ type: 'get-pending-requests' })
  const { requests } = await socket.next('pending-requests')
  socket.close()
  return requests.find((request) => request.id === id)?.seen ?? 0
}

describe('the crew', () => {
  it('sees who is on the way, and anybody may release the request', async () => {
    await hire('Maya')
    await hire('Leo')
    const [maya, leo] = [await openDashboard(), await openDashboard()]
    await choose(maya, 'Maya')
    await choose(leo, 'Leo')
    await ask('4')
    await press(ticket(maya, '4'), 'On my way')
    await ticket(leo, '4').getByText('Maya is on the way').waitFor()
    await ticket(leo, '4')
      .getByText(/Maya is on the way · \d+s$/u)
      .waitFor()
    await press(leo, 'More for table 4')
    await press(leo.getByRole('dialog', { name: 'Table 4' }), 'Release')
    await ticket(maya, '4').getByRole('button', { name: 'On my way' }).waitFor()
    await leo.waitForFunction(() => document.body.innerText.includes('On my way'))
    await Promise.all(
      [maya, leo].map((page) =>
        ticket(page, '4')
          .getByRole('button', { name: 'On my way' })
          .evaluate((button: HTMLElement) => button.click()),
      ),
    )
    const isOnIt = (page: Page): Promise<number> => ticket(page, '4').getByText('You’re on it').count()
    await expect.poll(async () => (await isOnIt(maya)) + (await isOnIt(leo))).toBe(1)
  })

  it('completes a request on all screens, and undoes it', async () => {
    await hire('Maya')
    const [first, second] = [await openTimedDashboard(), await openDashboard()]
    await choose(first, 'Maya')
    await ask('4', 'food')
    await ticket(first, '4').waitFor()
    await stopTime(first)
    await press(ticket(first, '4'), 'Mark Complete')
    // The list changes in the next frame, and the toast follows.
    await first.clock.runFor(200)
    for (const page of [first, second]) await page.getByText('No active requests').waitFor()
    await expect.poll(() => toast(first).innerText()).toMatch(/^Table 4 complete\s+Undo/)
    await first.clock.runFor(100)
    await press(toast(first), 'Undo')
    await first.clock.resume()
    for (const page of [first, second]) await ticket(page, '4').getByText('Food Order').waitFor()
    await press(ticket(second, '4'), 'Mark Complete')
    await first.getByText('Recently completed').click()
    const recent = first.getByRole('listitem').filter({ hasText: 'Food Order' })
    await expect.poll(() => recent.innerText()).toMatch(/^4\s+Food Order\s+Crew · \d+s ago\s+Undo/)
    await press(recent, 'Undo')
    await ticket(second, '4').waitFor()
    // Undo is no longer offered for a request that was reopened, so its toast goes before its time.
    await ticket(first, '4').waitFor()
    await stopTime(first)
    await press(ticket(first, '4'), 'Mark Complete')
    await first.clock.runFor(200)
    await toast(first).getByText('Table 4 complete').waitFor()
    await first.getByText('Recently completed').click()
    await press(recent, 'Undo')
    await first.clock.runFor(200)
    await toast(first).waitFor({ state: 'hidden' })
  })

  it('filters by service', async () => {
    const page = await openDashboard()
    await ask('1', 'general')
    await ask('2', 'assistance')
    await ask('3', 'drinks')
    await page.getByText('3 Active').waitFor()
    const tabs = page.getByRole('tab')
    await expect
      .poll(() => tabs.allInnerTexts())
      .toEqual(['3\nAll', '1\nDrinks', '0\nFood', '0\nCheck', '1\nHelp', '0\nOther'])
    for (const name of ['All', 'Drinks', 'Food', 'Check', 'Help', 'Other'])
      expect(await page.getByRole('tab', { name, exact: true }).count()).toBe(1)
    const shown = (): Promise<string[]> =>
      page.getByRole('heading', { level: 3, name: /^Table/ }).allTextContents()
    await expect.poll(shown).toEqual(['Table 1', 'Table 2', 'Table 3'])
    await page.getByRole('tab', { name: 'Help', exact: true }).click()
    await expect.poll(shown).toEqual(['Table 2'])
    await page.getByRole('tab', { name: 'Check', exact: true }).click()
    await page.getByText('No active requests').waitFor()
    await page.getByText('3 Active').waitFor()
  })

  it('sees the longest waiting requests at once, and the others on scrolling', async () => {
    const numbers = Array.from({ length: 60 }, (_, index) => String(index + 1))
    restaurant = await app.restaurant({ tables: numbers })
    for (const number of numbers) await ask(number, Number(number) % 2 === 0 ? 'drinks' : 'food')
    const page = await openDashboard()
    await page.getByText('60 Active').waitFor()
    const titles = page.getByRole('heading', { level: 3, name: /^Table/ })
    const shown = async (): Promise<string[]> =>
      (await titles.allTextContents()).map((title) => title.replace('Table ', ''))
    await ticket(page, '1').waitFor()
    const atOnce = await shown()
    expect(atOnce).toEqual(numbers.slice(0, atOnce.length))
    expect(atOnce.length).toBeLessThan(40)

    await page.getByRole('tab', { name: 'Food', exact: true }).click()
    await expect.poll(async () => (await shown()).slice(0, 3)).toEqual(['1', '3', '5'])
    await page.getByRole('tab', { name: 'Food', exact: true }).press('Home')
    const gone = async (): Promise<string> => {
      await page.keyboard.press('j')
      return await page.evaluate(
        () => document.activeElement?.closest('li')?.querySelector('h3')?.textContent ?? '',
      )
    }
    await expect.poll(gone, { interval: 20 }).toBe('Table 60')
    await expect.poll(shown).toEqual(numbers)
  })
})

describe('the name', () => {
  it('is selected once, shows the role and the tables of today, and marks their requests', async () => {
    await hire('Maya', 'Server', '7', '12')
    await hire('Leo', 'Busser')
    const page = await openDashboard()
    await page.getByText('Select your name to access team messaging').waitFor()
    await choose(page, 'Maya')
    const card = page.getByRole('region', { name: 'Maya' })
    await card.getByText('Server').waitFor()
    await expect.poll(() => card.getByRole('listitem').allInnerTexts()).toEqual(['7', '12'])
    await ask('7')
    await ask('1')
    await ticket(page, '7').getByText('your table').waitFor()
    await page.getByText('2 Active').waitFor()
    expect(await page.getByText('your table').count()).toBe(1)
    await expect.poll(() => page.getByText('Select your name to access team messaging').count()).toBe(0)
    await page.reload()
    await page.getByRole('region', { name: 'Maya' }).waitFor()
    expect(await page.evaluate(() => localStorage.getItem('crew-member-id'))).toMatch(/./u)
  })

  it('protected by a PIN requires it', async () => {
    const maya = await hire('Maya')
    await restaurant.owner.ok(api.crew.change, { params: { id: maya.id }, body: { pin: '4711' } })
    const page = await openDashboard()
    await choose(page, 'Maya')
    const dialog = page.getByRole('dialog', { name: 'PIN of Maya' })
    await dialog.getByLabel('PIN', { exact: true }).fill('12')
    await press(dialog, 'Continue')
    await dialog.getByText('A PIN has 4 to 8 digits').waitFor()
    await dialog.getByLabel('PIN', { exact: true }).fill('1234')
    await press(dialog, 'Continue')
    await dialog.getByText('Wrong PIN').waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByLabel('PIN', { exact: true }).fill('4711')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Maya' }).waitFor()

    const other = app.browser()
    await other.ok(api.accounts.restaurantLogin, {
      body: { restaurantName: restaurant.name, password: ownPassword },
    })
    const tablet = await openDashboard({}, other)
    await choose(tablet, 'Maya')
    await tablet.getByRole('dialog', { name: 'PIN of Maya' }).waitFor()
    await tablet.keyboard.press('Escape')
    await tablet.getByRole('button', { name: 'Select your name' }).waitFor()
  })

  it('is already known after the crew login', async () => {
    const maya = await hire('Maya', 'Host', '3')
    await restaurant.owner.ok(api.crew.change, {
      params: { id: maya.id },
      body: { username: `maya-${maya.id}`, password: ownPassword },
    })
    const phone = app.browser()
    const session = await phone.ok(api.accounts.crewLogin, {
      body: { username: `maya-${maya.id}`, password: ownPassword },
    })
    const page = await signedIn({}, phone)
    await page.addInitScript(({ crewMemberId, crewMemberName, role }) => {
      sessionStorage.setItem('crewMemberId', crewMemberId)
      sessionStorage.setItem('crewMemberName', crewMemberName)
      sessionStorage.setItem('crewRole', role)
    }, session)
    await page.goto(`${app.url}/waiter`)
    const card = page.getByRole('region', { name: 'Maya' })
    await expect.poll(() => card.getByRole('listitem').allInnerTexts()).toEqual(['3'])
    await page.getByText('Maya, Host').waitFor()

    const later = await openPage({ tolerate: [/\/api\/auth\/user/] })
    await later.context().addCookies(await page.context().cookies())
    await later.goto(`${app.url}/waiter`)
    await later.getByText('Maya, Host').waitFor()
    await expect
      .poll(() => later.getByRole('region', { name: 'Maya' }).getByRole('listitem').allInnerTexts())
      .toEqual(['3'])
  })
})

describe('the connection', () => {
  it('recovers by itself after a server restart, without losing a tap made meanwhile', async () => {
    const page = await openDashboard({ tolerate: [/\/api\/auth\/user/, ...serverAwayErrors] })
    const request = await ask('4')
    await ticket(page, '4').waitFor()
    await app.pause()
    await page.getByText('Reconnecting…').waitFor()
    await page.getByText(/Last heard/u).waitFor()
    await press(ticket(page, '4'), 'Mark Complete')
    await ticket(page, '4').getByText('Complete · waits to send').waitFor()
    await app.start()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('No active requests').waitFor()
    const socket = await restaurant.device.connect()
    // The page is live before its tap arrives.
    const stored = async () => {
      socket.send({ type: 'get-pending-requests' })
      return socket.next('pending-requests')
    }
    await expect.poll(stored).toMatchObject({ requests: [], recent: [{ request: { id: request.id } }] })
    await ask('7')
    await ticket(page, '7').waitFor()
  })

  it('that died while the tablet slept is replaced on waking up', async () => {
    const page = await signedIn()
    const routes: WebSocketRoute[] = []
    const dead = new Set<WebSocketRoute>()
    await page.routeWebSocket(/\/ws$/u, (route) => {
      routes.push(route)
      const server = route.connectToServer()
      route.onMessage((message) => {
        if (!dead.has(route)) server.send(message)
      })
      server.onMessage((message) => {
        if (!dead.has(route)) route.send(message)
      })
    })
    await page.goto(`${app.url}/waiter`)
    await page.getByText('No active requests').waitFor()
    for (const route of routes) dead.add(route)
    await ask('4')
    expect(await ticket(page, '4').count()).toBe(0)
    await page.evaluate(() => window.dispatchEvent(new Event('pageshow')))
    await ticket(page, '4').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(routes.length).toBe(2)
  })
})

it('leads back to the portals', async () => {
  const page = await openDashboard()
  await press(page, 'Home')
  await page.waitForURL('**/portal-selection')
})

it('passes axe in every size, and has its screenshots taken', async () => {
  await hire('Maya', 'Server', '7', '12')
  await hire('Leo', 'Busser')
  for (const name of ['Ana', 'Ben', 'Cleo', 'Dev', 'Eva', 'Finn']) await hire(name, 'Host')
  const sinceMinutes = async (minutes: number, ...what: Parameters<typeof ask>): Promise<void> => {
    app.advance(-minutes * 60_000)
    await ask(...what)
    app.advance(minutes * 60_000)
  }
  await sinceMinutes(6, '4', 'assistance')
  await sinceMinutes(1.2, '21', 'food')
  await sinceMinutes(0.8, 'Patio 3', 'drinks')
  await sinceMinutes(0.2, '7', 'check')
  const page = await openDashboard()
  await takeScreenshot(page, 'crew-edges')
  await takeScreenshots(page, 'crew-nobody')
  await page.getByRole('button', { name: 'Select your name' }).click()
  await page.getByRole('radio', { name: 'Maya' }).waitFor()
  await takeScreenshots(page, 'crew-picker')
  expect(await violations(page)).toEqual([])
  await page.getByRole('radio', { name: 'Maya' }).click()
  await page.getByText('your table').first().waitFor()
  await page.getByRole('button', { name: 'On my way' }).nth(1).click()
  await page.getByText('You’re on it').waitFor()
  await ask('12', 'general')
  await ask('12', 'general')
  await page.getByText('asked 2×').waitFor()
  await takeScreenshots(page, 'crew')
  expect(await violations(page)).toEqual([])
  await press(ticket(page, '4'), 'Mark Complete')
  await page.getByText('Table 4 complete').waitFor()
  await takeScreenshots(page, 'crew-toast', ['phone'])
  await page.getByText('Recently completed').click()
  await page.setViewportSize(viewports.phone)
  await page.getByRole('button', { name: 'Me', exact: true }).click()
  await takeScreenshots(page, 'crew-me', ['phone'])
  await page.getByRole('button', { name: 'Requests', exact: true }).click()
  await page.getByText('Recently completed').scrollIntoViewIfNeeded()
  await takeScreenshots(page, 'crew-recent', ['phone'])
  expect(await violations(page)).toEqual([])
  expect(await smallTargets(page)).toEqual([])
  expect(await overflowingElements(page)).toEqual([])
})

describe('without a connection', () => {
  it('shows what was not sent yet, and once reconnected who was first', async () => {
    await hire('Maya')
    const leo = await hire('Leo')
    const [four, seven] = [await ask('4'), await ask('7', 'check')]
    await ask('12', 'food')
    const network = await openNetwork(app)
    // What the page reads by itself may be under way when the network goes.
    const tolerate = [/\/api\/auth\/user/, ...serverAwayErrors]
    const page = await openDashboard({ ...network.options, tolerate })
    await choose(page, 'Maya')
    await ticket(page, '12').waitFor()
    const colleague = await restaurant.device.connect()
    await colleague.request({ type: 'set-crew-member-context', crewMemberId: leo.id })

    network.switchTo('away')
    await page.getByText('Reconnecting…').waitFor()
    await ticket(page, '4').getByRole('button', { name: 'On my way' }).press('Enter')
    await ticket(page, '7').getByRole('button', { name: 'Mark Complete' }).press('Enter')
    await ticket(page, '12').getByRole('button', { name: 'Mark Complete' }).press('Enter')
    await ticket(page, '4').getByText('On my way · waits to send').waitFor()
    await ticket(page, '7').getByText('Complete · waits to send').waitFor()
    await page.getByText('3 taps wait to send').waitFor()
    await page.getByText(/^Last heard \d+s ago/u).waitFor()
    const banner = async () => {
      const box = await page.locator('.offline').boundingBox()
      return [box?.x, box?.width]
    }
    await expect.poll(banner).toEqual([0, page.viewportSize()?.width])
    await takeScreenshots(page, 'crew-offline', ['phone', 'desktop'])
    expect(await violations(page)).toEqual([])
    await ticket(page, '12').getByRole('button', { name: 'Undo' }).click()
    await ticket(page, '12').getByRole('button', { name: 'On my way' }).waitFor()

    await colleague.request({ type: 'accept-request', id: four.id })
    await colleague.request({ type: 'complete-request', id: seven.id })
    network.switchTo('up')
    await page.getByText('Leo was first: table 4 · Leo was first: table 7').waitFor()
    await ticket(page, '4').getByText('Leo is on the way').waitFor()
    await expect.poll(() => ticket(page, '7').count()).toBe(0)
    await ticket(page, '12').getByRole('button', { name: 'On my way' }).waitFor()
    await takeScreenshots(page, 'crew-outdone', ['phone', 'desktop'])
  })
})
