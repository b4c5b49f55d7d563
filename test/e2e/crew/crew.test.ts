import type { WebSocketRoute } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password as ownPassword } from '../../support/app.ts'
import { ticket } from '../pages/crew-screen.ts'
import { choose, setUpDashboards, withEars } from '../pages/dashboards.ts'
import { overflowingElements, smallTargets, lastingViolations } from '../support/accessibility.ts'
import { expectPageError, openPage } from '../support/browser.ts'
import { button, nextFrame, press, toast } from '../support/locators.ts'
import { neverEscalate } from '../support/never-escalate.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'
import { stopTime } from '../support/time.ts'

const {
  app,
  restaurant,
  openRestaurant,
  hire,
  ask,
  signedIn,
  visitDashboard,
  openDashboard,
  openTimedDashboard,
} = setUpDashboards()

describe('a request', () => {
  it('rings again every 10 seconds until somebody is on the way, except where the sound is off', async () => {
    await neverEscalate(restaurant())
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

describe('the crew', () => {
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
    await openRestaurant(numbers)
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
    await expect.poll(() => page.getByText('your table').count()).toBe(1)
    await expect.poll(() => page.getByText('Select your name to access team messaging').count()).toBe(0)
    await page.reload()
    await page.getByRole('region', { name: 'Maya' }).waitFor()
    await expect.poll(() => page.evaluate(() => localStorage.getItem('crew-member-id'))).toMatch(/./u)
  })

  it('protected by a PIN requires it', async () => {
    const maya = await hire('Maya')
    await restaurant().owner.ok(api.crew.change, { params: { id: maya.id }, body: { pin: '4711' } })
    const page = await openDashboard()
    await choose(page, 'Maya')
    const dialog = page.getByRole('dialog', { name: 'PIN of Maya' })
    await dialog.getByLabel('PIN', { exact: true }).fill('12')
    await press(dialog, 'Continue')
    await dialog.getByText('A PIN has 4 to 8 digits').waitFor()
    await dialog.getByLabel('PIN', { exact: true }).fill('1234')
    await press(dialog, 'Continue')
    await dialog.getByText('Wrong PIN').waitFor()
    expect(await lastingViolations(page)).toEqual([])
    await dialog.getByLabel('PIN', { exact: true }).fill('4711')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Maya' }).waitFor()

    const other = app.browser()
    await other.ok(api.accounts.restaurantLogin, {
      body: { restaurantName: restaurant().name, password: ownPassword },
    })
    const tablet = await openDashboard({}, other)
    await choose(tablet, 'Maya')
    await tablet.getByRole('dialog', { name: 'PIN of Maya' }).waitFor()
    await tablet.keyboard.press('Escape')
    await tablet.getByRole('button', { name: 'Select your name' }).waitFor()
  })

  it('protected by a PIN may be typed at once: the list that leaves does not take the focus back', async () => {
    const maya = await hire('Maya')
    await restaurant().owner.ok(api.crew.change, { params: { id: maya.id }, body: { pin: '4711' } })
    const page = await openDashboard()
    const names = page.getByRole('dialog', { name: 'Select Your Name' })
    await press(page, 'Select your name')
    await names.getByRole('radio', { name: 'Maya' }).click()
    const pin = page.getByRole('dialog', { name: 'PIN of Maya' }).getByLabel('PIN', { exact: true })
    await pin.and(page.locator(':focus')).waitFor()
    await names.waitFor({ state: 'detached' })
    await nextFrame(page)
    await page.keyboard.type('4711')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Maya' }).waitFor()

    // By keys: the list is still closing when the focus reaches a ticket.
    await ask('4')
    await press(page, 'Change name')
    await names.getByRole('radio', { name: 'Maya' }).waitFor()
    await page.keyboard.press('Escape')
    await button(ticket(page, '4'), 'Mark Complete').focus()
    await names.waitFor({ state: 'detached' })
    await nextFrame(page)
    await page.keyboard.press('Enter')
    await toast(page)
      .getByText(/^Table 4 complete/u)
      .waitFor()
  })

  it('is already known after the crew login', async () => {
    const maya = await hire('Maya', 'Host', '3')
    await restaurant().owner.ok(api.crew.change, {
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

  it('loads a page anew that cannot read what a later version of the server sends', async () => {
    const page = await signedIn()
    // As for a page from before there was such a request; the next one can read it.
    let isOld = true
    await page.routeWebSocket(/\/ws$/u, (route) => {
      const server = route.connectToServer()
      server.onMessage((message) =>
        route.send(isOld ? String(message).replaceAll('"drinks"', '"unheard-of"') : message),
      )
    })
    await page.goto(`${app.url}/waiter`)
    await page.getByText('No active requests').waitFor()
    // Then what checks messages has loaded.
    await page.waitForLoadState('networkidle')
    page.on('load', () => (isOld = false))
    expectPageError(page, /Live message not understood/)
    await ask('4', 'drinks')
    await ticket(page, '4').waitFor()
    expect(isOld).toBe(false)
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
  expect(await lastingViolations(page)).toEqual([])
  await page.getByRole('radio', { name: 'Maya' }).click()
  await page.getByText('your table').first().waitFor()
  await page.getByRole('button', { name: 'On my way' }).nth(1).click()
  await page.getByText('You’re on it').waitFor()
  await ask('12', 'general')
  await ask('12', 'general')
  await page.getByText('asked 2×').waitFor()
  await takeScreenshots(page, 'crew')
  expect(await lastingViolations(page)).toEqual([])
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
  expect(await lastingViolations(page)).toEqual([])
  expect(await smallTargets(page)).toEqual([])
  expect(await overflowingElements(page)).toEqual([])
})
