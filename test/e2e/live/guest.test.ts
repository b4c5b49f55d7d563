import type { Locator, Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp, type TestBrowser } from '../../support/app.ts'
import {
  askByButton,
  refuseRefresh,
  returnToMenu,
  untilSent,
  untilTitled,
  whenFollowing,
  whenVisitStarted,
} from '../pages/guest-page.ts'
import {
  button,
  heading,
  holdAnswers,
  holdTheApp,
  menu,
  phone,
  send,
  setUpGuests,
} from '../pages/guest-tables.ts'
import { overflowingElements, lastingViolations } from '../support/accessibility.ts'
import { expectPageError, openTab } from '../support/browser.ts'
import { takeScreenshot } from '../support/screenshots.ts'
import { stopTime } from '../support/time.ts'

const { app, restaurant, codeOfRestaurant, freshTable, linkTo, crewScreen, untilNobodyListens, waiting } =
  setUpGuests()

const hours = 3_600_000
const crewOffline = 'The staff screen is offline right now. Please wave to your waiter.'

async function deleteTable({ owner }: { owner: TestBrowser }, name: string): Promise<void> {
  const table = (await owner.ok(api.floor.tables, {})).find(({ tableNumber }) => tableNumber === name)
  await owner.ok(api.floor.removeTable, { params: { id: table?.id ?? '' }, query: {} })
}

async function askForDrinksAt(page: Page, table: string): Promise<void> {
  await page.goto(linkTo(undefined, { k: codeOfRestaurant() }))
  await page.getByLabel('Table Number').fill(table)
  await button(page, 'Continue').tap()
  await askByButton(page, 'Drinks')
}

/** Goes on to say that it is the wrong table, before the answer to a tap has come. */
async function leaveWhileSending(page: Page, need: string): Promise<void> {
  await button(page, need).tap()
  await page.getByText('Sending…').first().waitFor()
  await page.getByRole('link', { name: 'Not your table?' }).tap()
  await page.waitForURL(/[?&]from=/)
}

const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text })

describe('a page without its app', () => {
  it('loads the app by itself when the network lost it', async () => {
    const page = await phone()
    expectPageError(page, /assets\/guest-/)
    await page.route('**/assets/guest-*.js', (route) => route.abort(), { times: 1 })
    const following = whenFollowing(page)
    await page.goto(linkTo(freshTable()))
    await following
    await heading(page, menu).waitFor()
  })

  it('leaves alone what a guest has entered', async () => {
    const page = await phone()
    const table = freshTable()
    expectPageError(page, /assets\/guest-/)
    await page.route('**/assets/guest-*.js', (route) => route.abort())
    await page.clock.install()
    await stopTime(page)
    await page.goto(linkTo(undefined, { k: codeOfRestaurant() }))
    await page.getByLabel('Table Number').fill(table)
    await page.clock.runFor(40_000)
    await button(page, 'Continue').tap()
    await heading(page, menu).waitFor()
  })

  it('goes on telling what became of a request', async () => {
    const screen = await crewScreen()
    const page = await phone()
    const table = freshTable()
    expectPageError(page, /assets\/guest-/)
    await page.route('**/assets/guest-*.js', (route) => route.abort())
    await page.clock.install()
    await stopTime(page)
    await page.goto(linkTo(table))
    await send(page, 'Drinks')
    const [request] = await waiting(table)
    await screen.request({ type: 'accept-request', id: request?.id ?? '' })
    await page.clock.runFor(20_000)
    await page.getByRole('listitem').getByText('Ana is on the way').waitFor()
  })
})

describe('a guest with a table link', () => {
  it('taps once and the crew has it', async () => {
    await crewScreen()
    const page = await phone()
    const table = freshTable()
    await page.clock.install()
    await page.goto(linkTo(table))
    expect(await page.title()).toBe(`The Copper Pot · Table ${table}`)
    // Otherwise the page would return to the menu while it is looked at.
    await stopTime(page)
    const focusOfTitle = page.evaluate(
      (title) =>
        new Promise<boolean>((resolve) =>
          new MutationObserver(() => {
            const heading = document.querySelector('h1')
            if (heading?.textContent === title) resolve(heading === document.activeElement)
          }).observe(document.body, { subtree: true, childList: true, characterData: true }),
        ),
      'Request Sent!',
    )
    await button(page, 'Call Waiter').tap()
    await heading(page, 'Request Sent!').waitFor()
    // Not later, when the guest may have moved on.
    expect(await focusOfTitle).toBe(true)
    await page.getByText('Your waiter will be with you shortly').waitFor()
    await page.getByText(`Table ${table}`, { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('main').innerText()).toContain('Call Waiter')
    expect(await waiting(table)).toMatchObject([{ tableNumber: table, serviceType: 'general', asks: 1 }])
  })

  it('is back at the menu after 3 seconds by itself, or at once when asked for', async () => {
    await crewScreen()
    const page = await phone()
    await page.clock.install()
    await page.goto(linkTo(freshTable()))
    // Otherwise the time that the test itself takes would count, too.
    await stopTime(page)
    await button(page, 'Drinks').tap()
    await heading(page, 'Request Sent!').waitFor()
    await page.clock.runFor(2900)
    expect(await heading(page, 'Request Sent!').isVisible()).toBe(true)
    await page.clock.runFor(200)
    await heading(page, menu).waitFor()
    await button(page, 'Food Order').tap()
    await button(page, 'Send Another Request').tap()
    await heading(page, menu).waitFor()
  })

  it('always shows the current state of the request', async () => {
    const crew = await crewScreen()
    const page = await phone()
    const table = freshTable()
    await page.goto(linkTo(table))
    await askByButton(page, 'Check/Bill')
    const row = page.getByRole('listitem').filter({ hasText: 'Check/Bill' })
    await row.getByText('Sent', { exact: true }).waitFor()
    const [{ id } = { id: '' }] = await waiting(table)
    await crew.request({ type: 'requests-seen', ids: [id] })
    await row.getByText('Seen by the crew').waitFor()
    await status(page, 'Check/Bill: Seen by the crew').waitFor()
    await crew.request({ type: 'accept-request', id })
    await row.getByText('Ana is on the way').waitFor()
    await status(page, 'Check/Bill: Ana is on the way').waitFor()
    await crew.request({ type: 'complete-request', id })
    await row.getByText('Done').waitFor()
    await status(page, 'Check/Bill: Done').waitFor()
    await expect.poll(() => button(page, 'Cancel request').count()).toBe(0)
  })

  it('adds to the same request by asking again', async () => {
    // Otherwise the page would announce in between that another test's screen is gone.
    await crewScreen()
    const page = await phone()
    const table = freshTable()
    await page.goto(linkTo(table))
    for (const asks of [1, 2]) {
      await askByButton(page, 'Drinks')
      expect(await waiting(table)).toMatchObject([{ asks }])
    }
    await page.getByRole('listitem').getByText('asked 2×').waitFor()
    await status(page, 'Drinks: Sent · asked 2×').waitFor()
    await button(page, 'Cancel request').press('Enter')
    await page.getByRole('listitem').waitFor({ state: 'detached' })
    await expect
      .poll(() => heading(page, menu).evaluate((title) => title === document.activeElement))
      .toBe(true)
    await page.getByRole('status').filter({ hasText: /^$/ }).waitFor({ state: 'attached' })
  })

  it('is told when nobody is listening, and when somebody is again', async () => {
    const page = await phone()
    const deaf = await app.restaurant({ name: 'Quiet House', tables: ['1'] })
    await page.goto(`${app.url}/customer?r=Quiet+House&t=1`)
    await page.getByText(crewOffline, { exact: true }).first().waitFor()
    const screen = await deaf.device.connect()
    await screen.request({ type: 'listening', sound: true, push: false })
    await page.locator('.offline').waitFor({ state: 'detached' })
    screen.close()
    await page.locator('.offline').waitFor()
    await status(page, crewOffline).waitFor()
  })

  it('keeps the proof of a printed code, and never shows it', async () => {
    await crewScreen()
    const page = await phone()
    const table = freshTable()
    await page.goto(linkTo(table, { k: '1.AAAAAAAAAAAAAAAAAAAAAA' }))
    // After the first frame.
    await expect.poll(() => page.url()).toBe(linkTo(table))
    await page.reload()
    const sent = page.waitForRequest('**/api/service-requests')
    await send(page, 'Drinks')
    expect((await sent).postDataJSON()).toMatchObject({ k: '1.AAAAAAAAAAAAAAAAAAAAAA' })
  })
})

describe('a table that the owner deletes', () => {
  it('is offered no longer on the pages that are open there, which say so', async () => {
    const page = await phone({ tolerate: [/status of 404/] })
    const own = await app.restaurant({ name: 'Emptied House', tables: ['1', '2'] })
    const following = whenFollowing(page)
    await page.goto(`${app.url}/customer?r=Emptied+House&t=2`)
    await following
    await deleteTable(own, '2')
    const alert = page.getByRole('alert')
    await alert.getByText("We couldn't find table 2. Please check the number on your table.").waitFor()
    await expect.poll(() => button(page, 'Drinks').count()).toBe(0)
    await page.getByLabel('Table Number').fill('1')
    await button(page, 'Continue').tap()
    await heading(page, menu).waitFor()
  })
})

describe('a tap', () => {
  it('counts once when it is a double tap', async () => {
    await crewScreen()
    const page = await phone()
    const table = freshTable()
    await page.clock.install()
    await page.goto(linkTo(table))
    // Otherwise the page might return to the menu between the two taps.
    await stopTime(page)
    await button(page, 'Drinks').dblclick()
    await heading(page, 'Request Sent!').waitFor()
    await returnToMenu(page)
    await page.getByRole('listitem').getByText('Sent', { exact: true }).waitFor()
    expect(await waiting(table)).toMatchObject([{ serviceType: 'drinks', asks: 1 }])
    await button(page, 'Food Order').click()
    await button(page, 'Send Another Request').dblclick()
    await page.getByRole('listitem').filter({ hasText: 'Food Order' }).waitFor()
    expect(await waiting(table)).toMatchObject([{ serviceType: 'drinks' }, { serviceType: 'food', asks: 1 }])
  })

  it('counts right after one on another service, or beside it', async () => {
    await crewScreen()
    const page = await phone()
    const table = freshTable()
    // The first answer would take the menu away before the second tap.
    const answer = await holdAnswers(page)
    const arrive = await holdTheApp(page)
    await page.goto(linkTo(table), { waitUntil: 'commit' })
    const press = (what: Locator): Promise<void> =>
      what.dispatchEvent('click', { bubbles: true, cancelable: true, detail: 2 })
    await press(page.getByRole('heading', { level: 1 }))
    await press(button(page, 'Drinks'))
    await press(button(page, 'Food Order'))
    const needs = async () => (await waiting(table)).map(({ serviceType }) => serviceType).toSorted()
    await expect.poll(needs).toEqual(['drinks', 'food'])
    await untilSent(page, () => {
      answer()
      arrive()
    })
  })

  it('answered late does not revert what the crew did meanwhile', async () => {
    const page = await phone()
    const table = freshTable()
    const crew = await restaurant().device.connect()
    const answer = await holdAnswers(page)
    await page.goto(linkTo(table))
    const row = page.getByRole('listitem')
    await heading(page, menu).waitFor()
    await page.waitForFunction(() => document.documentElement.classList.contains('js'))
    await button(page, 'Drinks').tap()
    await row.getByText('Sent', { exact: true }).waitFor()
    const [request] = await waiting(table)
    await crew.request({ type: 'accept-request', id: request?.id ?? '' })
    await row.getByText('Crew is on the way').waitFor()
    expect(await row.allInnerTexts()).toHaveLength(1)
    await untilSent(page, answer)
    await returnToMenu(page)
    await expect.poll(() => row.getByText('Crew is on the way').count()).toBe(1)
  })

  it('counts and is confirmed before the app has loaded, which then takes it over', async () => {
    await crewScreen()
    const page = await phone()
    const table = freshTable()
    const arrive = await holdTheApp(page)
    await page.goto(linkTo(table), { waitUntil: 'commit' })
    await button(page, 'Drinks').tap()
    const title = heading(page, 'Request Sent!')
    await title.waitFor()
    await page.locator('.sent').getByText('Drinks').waitFor()
    expect(await title.evaluate((title) => title === document.activeElement)).toBe(true)
    expect(await waiting(table)).toMatchObject([{ serviceType: 'drinks', asks: 1 }])
    const takeover = await title.evaluateHandle((title) => ({
      keepsTitle: new Promise<boolean>((resolve) =>
        new MutationObserver(() => {
          if (!document.querySelector('#confirmation')) setTimeout(() => resolve(title.isConnected))
        }).observe(document.body, { childList: true }),
      ),
    }))
    await untilTitled(page, [menu], arrive)
    expect(await takeover.evaluate(({ keepsTitle }) => keepsTitle)).toBe(true)
    await page.getByRole('listitem').filter({ hasText: 'Drinks' }).waitFor()
    expect(await waiting(table)).toMatchObject([{ asks: 1 }])
  })

  it('that somebody hears by now is confirmed once the app has loaded, as the page has said that nobody does', async () => {
    await untilNobodyListens()
    const page = await phone()
    const table = freshTable()
    const arrive = await holdTheApp(page)
    await page.goto(linkTo(table), { waitUntil: 'commit' })
    await page.getByText(crewOffline).waitFor()
    await crewScreen()
    await button(page, 'Call Waiter').tap()
    await page.locator('[data-tapped=sent]').waitFor()
    await untilTitled(page, ['Request Sent!'], arrive)
    await expect.poll(() => page.locator('[data-tapped]').count()).toBe(0)
    expect(await waiting(table)).toMatchObject([{ serviceType: 'general', asks: 1 }])
  })

  it('counts even if the app never loads', async () => {
    await untilNobodyListens()
    const page = await phone()
    const table = freshTable()
    expectPageError(page, /assets\/guest-/)
    await page.route('**/assets/guest-*.js', (route) => route.abort())
    await page.goto(linkTo(table))
    await button(page, 'Assistance').tap()
    await heading(page, 'Sent').waitFor()
    await page.locator('.offline').getByText('Please wave to your waiter.').waitFor()
    expect(await waiting(table)).toMatchObject([{ serviceType: 'assistance', asks: 1 }])
    await button(page, 'Send Another Request').tap()
    await heading(page, menu).waitFor()
  })

  it('that is refused is told why where the app never loads', async () => {
    const page = await phone({ tolerate: [/status of 404/] })
    const own = await app.restaurant({ name: 'Scriptless House', tables: ['1', '2'] })
    expectPageError(page, /assets\/guest-/)
    await page.route('**/assets/guest-*.js', (route) => route.abort())
    await page.goto(`${app.url}/customer?r=Scriptless+House&t=2`)
    await deleteTable(own, '2')
    await button(page, 'Drinks').tap()
    const alert = page.getByRole('alert')
    await alert.getByText("We couldn't find table 2. Please check the number on your table.").waitFor()
  })

  it('without a network is sent once there is one, and counts once', async () => {
    await crewScreen()
    const page = await phone({ tolerate: [/ERR_INTERNET_DISCONNECTED/, /ws/] })
    const table = freshTable()
    await page.goto(linkTo(table))
    await page.context().setOffline(true)
    await button(page, 'Drinks').tap()
    await page.getByText('Sending…').first().waitFor()
    expect(await heading(page, 'Request Sent!').count()).toBe(0)
    await untilSent(page, () => page.context().setOffline(false))
    expect(await waiting(table)).toMatchObject([{ asks: 1 }])
  })

  it('survives a reload, and lost answers, and counts once', async () => {
    await crewScreen()
    const page = await phone({ tolerate: [/service-requests/] })
    const table = freshTable()
    await page.goto(linkTo(table))
    let isLost = true
    await page.route('**/api/service-requests', async (route) => {
      if (!isLost) return route.continue()
      await route.fetch()
      await route.abort()
    })
    const lost = page.waitForEvent('requestfailed')
    await button(page, 'Food Order').tap()
    await lost
    expect(await waiting(table)).toMatchObject([{ asks: 1 }])
    await page.reload()
    await page.getByRole('listitem').getByText('Sent', { exact: true }).waitFor()
    await untilSent(page, async () => {
      isLost = false
      await page.evaluate(() => dispatchEvent(new Event('online')))
    })
    await page.reload()
    await expect.poll(() => page.getByText('Sending…').count()).toBe(0)
    expect(await waiting(table)).toMatchObject([{ asks: 1 }])
  })

  it('that the crew has completed before its answer arrives is done, not sent', async () => {
    const crew = await crewScreen()
    const page = await phone({ tolerate: [/service-requests/] })
    const table = freshTable()
    // Only the answer tells this page anything.
    await page.routeWebSocket('**/ws', () => undefined)
    let isLost = true
    await page.route('**/api/service-requests', async (route) => {
      if (!isLost) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await page.goto(linkTo(table))
    const lost = page.waitForEvent('requestfailed')
    await button(page, 'Drinks').tap()
    await lost
    const [request] = await waiting(table)
    await crew.request({ type: 'complete-request', id: request?.id ?? '' })
    isLost = false
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await page.getByRole('listitem').getByText('Done', { exact: true }).waitFor()
    expect(await heading(page, 'Request Sent!').count()).toBe(0)
    expect(await page.getByRole('listitem').allInnerTexts()).toHaveLength(1)
  })

  it('that is refused shows the message of the server', async () => {
    const page = await phone({ tolerate: [/status of 404/] })
    // It would tell the page before the tap.
    await page.routeWebSocket(/\/ws$/u, (route) => route.close())
    const own = await app.restaurant({ name: 'Shrinking House', tables: ['1', '2'] })
    await page.goto(`${app.url}/customer?r=Shrinking+House&t=2`)
    await deleteTable(own, '2')
    await button(page, 'Drinks').tap()
    const alert = page.getByRole('alert')
    await alert.getByText("We couldn't find table 2. Please check the number on your table.").waitFor()
    await page.getByRole('listitem').waitFor({ state: 'detached' })
  })

  it('beyond the limits is told to wait', async () => {
    const strict = await startTestApp({ guestLimits: true })
    const { name } = await strict.restaurant({ tables: ['1', '2', '3'] })
    try {
      const page = await phone({ tolerate: [/status of 429/] })
      await page.goto(`${strict.url}/customer?${new URLSearchParams({ r: name, t: '3' }).toString()}`)
      await page.evaluate(async (restaurantId) => {
        const types = ['general', 'drinks', 'food', 'check', 'assistance', 'other']
        for (const tableNumber of ['1', '2'])
          for (const serviceType of types)
            await fetch('/api/service-requests', {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ restaurantId, tableNumber, serviceType }),
            })
      }, name)
      await button(page, 'Call Waiter').tap()
      await page.getByRole('alert').getByText(/wait/i).waitFor()
      expect(await page.locator('.sent').count()).toBe(0)
      await page.close()
    } finally {
      await strict.stop()
    }
  })
})

describe('the phones at one table', () => {
  it('see the same requests; only the one that asked may cancel', async () => {
    const table = freshTable()
    const [mine, theirs] = [await phone(), await phone()]
    await Promise.all([mine, theirs].map((page) => page.goto(linkTo(table))))
    await askByButton(mine, 'Drinks')
    await theirs.getByRole('listitem').getByText('Sent', { exact: true }).waitFor()
    expect(await button(theirs, 'Cancel request').count()).toBe(0)
    await button(mine, 'Cancel request').tap()
    for (const page of [mine, theirs]) await page.getByRole('listitem').waitFor({ state: 'detached' })
    expect(await waiting(table)).toEqual([])
    await expect.poll(() => mine.getByText('Done').count()).toBe(0)
  })

  it('are told when the server refuses to cancel', async () => {
    const page = await phone({ tolerate: [/status of 403/] })
    await page.goto(linkTo(freshTable()))
    await askByButton(page, 'Drinks')
    await page.context().clearCookies()
    await button(page, 'Cancel request').tap()
    await page.getByRole('alert').getByText('Only the device that asked can do that').waitFor()
  })

  it('may say that they are still waiting, after the target time', async () => {
    const page = await phone()
    const table = freshTable()
    await page.goto(linkTo(table))
    await askByButton(page, 'Assistance')
    expect(await button(page, 'Still waiting').count()).toBe(0)
    app.advance(31_000)
    await page.reload()
    // Until then the page may count a screen of another test.
    await page.locator('.offline').waitFor()
    await button(page, 'Still waiting').tap()
    await page.getByText('It is noted, but no staff screen is on.').waitFor()
    await button(page, 'Still waiting').waitFor({ state: 'detached' })
    const events = await app.ctx.db.reader
      .selectFrom('requestEvent')
      .innerJoin('serviceRequest', 'serviceRequest.id', 'requestEvent.requestId')
      .select('kind')
      .where('tableNumber', '=', table)
      .where('kind', '=', 'still_waiting')
      .execute()
    expect(events).toHaveLength(1)
  })

  it('may say that they are still waiting on a page that has long been open', async () => {
    const page = await phone()
    await page.clock.install()
    await page.goto(linkTo(freshTable()))
    await heading(page, menu).waitFor()
    const wait = async (ms: number): Promise<void> => {
      app.advance(ms)
      await page.clock.fastForward(ms)
    }
    await wait(20 * 60_000)
    await askByButton(page, 'Assistance')
    await page.getByRole('listitem').getByText('Sent', { exact: true }).waitFor()
    await wait(31_000)
    await button(page, 'Still waiting').waitFor()
  })

  it('have one outbox in two tabs', async () => {
    const page = await phone()
    const table = freshTable()
    await page.goto(linkTo(table))
    const tab = await openTab(page)
    await tab.goto(linkTo(table))
    await button(page, 'Drinks').tap()
    await tab.getByRole('listitem').getByText('Sent', { exact: true }).waitFor()
    await button(tab, 'Cancel request').waitFor()
    expect(await waiting(table)).toMatchObject([{ asks: 1 }])
  })
})

describe('a visit', () => {
  const text =
    'Your session has expired after 3 hours. Please scan the QR code again or reset your session to continue.'

  it('is kept on the device as a plain number', async () => {
    const page = await phone()
    const table = freshTable()
    await page.goto(linkTo(table))
    await whenVisitStarted(page, restaurant().name, table)
    const start = await page.evaluate((key) => localStorage.getItem(key), `session_The Copper Pot_${table}`)
    expect(Math.abs(Number(start) - Date.now())).toBeLessThan(60_000)
  })

  it('is over after 3 hours, for a tap on a page that stayed open, until it is reset', async () => {
    await crewScreen()
    const page = await phone()
    const table = freshTable()
    await page.clock.install()
    await page.goto(linkTo(table))
    await whenVisitStarted(page, restaurant().name, table)
    await page.clock.fastForward(3 * hours + 1000)
    await button(page, 'Call Waiter').tap()
    await heading(page, 'Session Expired').waitFor()
    await page.getByText(text, { exact: true }).waitFor()
    await page.getByRole('main').getByText(table).waitFor()
    expect(await waiting(table)).toEqual([])
    await button(page, 'Start New Session').tap()
    await heading(page, menu).waitFor()
    // A tap at this point would count as the second of a double tap.
    await untilSent(page, () => button(page, 'Call Waiter').press('Enter'))
  })

  it('is over on load, by what the device kept', async () => {
    const page = await phone()
    const table = freshTable()
    await page.addInitScript(([key, start]) => localStorage.setItem(key, start), [
      `session_The Copper Pot_${table}`,
      String(Date.now() - 3 * hours - 1000),
    ] as const)
    await page.goto(linkTo(table))
    await heading(page, 'Session Expired').waitFor()
  })

  it('is over on load, by what the server knows', async () => {
    const page = await phone()
    const table = freshTable()
    await page.goto(linkTo(table))
    await whenVisitStarted(page, restaurant().name, table)
    await page.evaluate(() => localStorage.clear())
    app.advance(3 * hours + 1000)
    await crewScreen()
    await page.reload()
    await heading(page, 'Session Expired').waitFor()
    await button(page, 'Start New Session').tap()
    await heading(page, menu).waitFor()
    await send(page, 'Drinks')
  })

  it('is over for a tap that the server refuses as expired', async () => {
    const page = await phone({ tolerate: [/status of 410/] })
    const following = whenFollowing(page)
    await page.goto(linkTo(freshTable()))
    // Later the server would tell the page that the visit is over.
    await following
    app.advance(3 * hours + 1000)
    await button(page, 'Drinks').tap()
    await heading(page, 'Session Expired').waitFor()
  })
})

describe('typing the table', () => {
  it('needs both names, and takes them trimmed', async () => {
    const page = await phone()
    const table = freshTable()
    await page.goto(`${app.url}/customer`)
    await button(page, 'Enter Table Number Manually').tap()
    await heading(page, 'Welcome!').waitFor()
    await page.getByText('Enter your information to get started').waitFor()
    await page.getByText(`Use "default" if you're unsure`).waitFor()
    const name = page.getByLabel('Restaurant Name')
    const number = page.getByPlaceholder('Table Number or Name')
    expect([await name.inputValue(), await number.inputValue()]).toEqual(['default', ''])
    await expect.poll(() => number.evaluate((input) => input === document.activeElement)).toBe(true)
    const isDisabled = (): Promise<boolean> => button(page, 'Continue').isDisabled()
    await expect.poll(isDisabled).toBe(true)
    await number.fill('  ')
    await expect.poll(isDisabled).toBe(true)
    await number.fill(` ${table} `)
    await expect.poll(isDisabled).toBe(false)
    await name.fill(' ')
    await expect.poll(isDisabled).toBe(true)
    await name.fill('  the copper pot ')
    await button(page, 'Continue').tap()
    await heading(page, menu).waitFor()
    await page.getByText(`Table ${table}`, { exact: true }).waitFor()
    expect(page.url()).toBe(`${app.url}/customer?r=the+copper+pot&t=${table}`)
  })

  it('corrects a wrong table: what this phone asked for comes along, and the restaurant’s code', async () => {
    const page = await phone()
    expectPageError(page, /api\/service-requests/)
    const [wrong, table] = [freshTable(), freshTable()]
    await askForDrinksAt(page, wrong)
    // Its answer is lost, so it is still on its way when the guest leaves.
    let isLost = true
    await page.route('**/api/service-requests', (route) => (isLost ? route.abort() : route.continue()))
    await leaveWhileSending(page, 'Check/Bill')
    isLost = false
    await page.getByLabel('Table Number').fill(table)
    await button(page, 'Continue').tap()
    const row = page.getByRole('listitem').filter({ hasText: 'Drinks' })
    await row.getByText('Cancel request').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Check/Bill' }).waitFor()
    expect(await waiting(wrong)).toEqual([])
    expect(await waiting(table)).toMatchObject([
      { serviceType: 'drinks', verified: true },
      { serviceType: 'check', verified: true },
    ])
    await row.getByText('Cancel request').tap()
    await row.waitFor({ state: 'detached' })
    expect(await waiting(table)).toMatchObject([{ serviceType: 'check' }])
  })

  it('brings along what is stored at the wrong table while the right one is being opened', async () => {
    const page = await phone()
    expectPageError(page, /api\/service-requests/)
    const [wrong, table] = [freshTable(), freshTable()]
    await askForDrinksAt(page, wrong)
    let isLost = true
    await page.route('**/api/service-requests', (route) => (isLost ? route.abort() : route.continue()))
    await leaveWhileSending(page, 'Check/Bill')
    // What has arrived is taken along. Then the rest arrives, and is answered before that.
    const takeAlong = async (route: Route) => {
      const response = await route.fetch()
      isLost = false
      const stored = page.waitForResponse('**/api/service-requests')
      await page.evaluate(() => window.dispatchEvent(new Event('online')))
      await (await stored).finished()
      await route.fulfill({ response })
    }
    await page.route('**/correct-table', takeAlong, { times: 1 })
    await page.getByLabel('Table Number').fill(table)
    await button(page, 'Continue').tap()
    await page.getByRole('listitem').filter({ hasText: 'Check/Bill' }).waitFor()
    expect(await waiting(wrong)).toEqual([])
    expect(await waiting(table)).toMatchObject([{ serviceType: 'drinks' }, { serviceType: 'check' }])
  })

  it('leads back to the table whose guest did not mean to leave it', async () => {
    await crewScreen()
    const page = await phone()
    await page.goto(linkTo(freshTable()))
    await askByButton(page, 'Drinks')
    await page.getByRole('link', { name: 'Not your table?' }).tap()
    await heading(page, 'Not your table?').waitFor()
    expect(await page.getByText('Welcome!').count()).toBe(0)
    expect([...(await lastingViolations(page)), ...(await overflowingElements(page, 320))]).toEqual([])
    await takeScreenshot(page, 'guest-not-your-table')
    await page.getByRole('link', { name: 'Back', exact: true }).tap()
    await page.getByRole('listitem').filter({ hasText: 'Drinks' }).waitFor()
  })

  it('does not ask for the restaurant when the link names it', async () => {
    const page = await phone()
    await page.goto(linkTo())
    await heading(page, 'Welcome!').waitFor()
    expect(await page.getByLabel('Restaurant Name').count()).toBe(0)
    await page.getByLabel('Table Number').fill(freshTable())
    await button(page, 'Continue').tap()
    await heading(page, menu).waitFor()
  })

  it('is told what was not found', async () => {
    const page = await phone({ tolerate: [/status of 404/] })
    await page.goto(linkTo())
    await page.getByLabel('Table Number').fill('99')
    await button(page, 'Continue').tap()
    const alert = page.getByRole('alert')
    await alert.getByText("We couldn't find table 99. Please check the number on your table.").waitFor()
    await page.goto(`${app.url}/customer?r=Nowhere`)
    await alert.getByText('Restaurant not found').waitFor()
    await expect.poll(() => page.getByLabel('Restaurant Name').inputValue()).toBe('Nowhere')
    await page.goto(linkTo('99'))
    await alert.getByText("We couldn't find table 99.").waitFor()
  })
})

describe('without JavaScript', () => {
  const plain = () => phone({ javaScriptEnabled: false, tolerate: [/status of 40[349]/] })

  /** Sends a request, and leaves its confirmation alone, which then goes by itself. */
  async function sendPlainly(page: Page, name: string, title: string): Promise<void> {
    const refresh = await refuseRefresh(page)
    await button(page, name).tap()
    await heading(page, title).waitFor()
    await refresh.refused
    refresh.allow()
    await page.reload()
  }

  it('a guest types the table, asks, reads the state and cancels', async () => {
    const crew = await crewScreen()
    const page = await plain()
    const table = freshTable()
    await page.goto(`${app.url}/customer`)
    expect(await button(page, 'Start Scanning').isVisible()).toBe(false)
    await button(page, 'Enter Table Number Manually').tap()
    await page.getByLabel('Restaurant Name').fill(restaurant().name)
    await page.getByLabel('Table Number').fill('99')
    await button(page, 'Continue').tap()
    await page.getByText("We couldn't find table 99. Please check the number on your table.").waitFor()
    await page.getByLabel('Table Number').fill(table)
    await button(page, 'Continue').tap()
    await heading(page, menu).waitFor()
    const refresh = await refuseRefresh(page)
    await button(page, 'Check/Bill').tap()
    await heading(page, 'Request Sent!').waitFor()
    refresh.allow()
    await returnToMenu(page)
    const [{ id } = { id: '' }] = await waiting(table)
    await crew.request({ type: 'accept-request', id })
    await page.reload()
    await page.getByText('Ana is on the way').waitFor()
    await button(page, 'Cancel request').tap()
    await page.getByRole('listitem').waitFor({ state: 'detached' })
    expect(await waiting(table)).toEqual([])
  })

  it('the same form sent twice counts once, and the states renew themselves', async () => {
    await crewScreen()
    const page = await plain()
    const table = freshTable()
    await page.goto(linkTo(table))
    const refresh = page.locator('meta[http-equiv=refresh]')
    expect(await refresh.getAttribute('content')).toBe(`20;url=/customer?r=The+Copper+Pot&t=${table}`)
    const first = await refuseRefresh(page)
    await button(page, 'Drinks').tap()
    await heading(page, 'Request Sent!').waitFor()
    expect(await refresh.getAttribute('content')).toMatch(/^3;url=/)
    await first.refused
    first.allow()
    await page.goBack()
    await heading(page, menu).waitFor()
    await sendPlainly(page, 'Drinks', 'Request Sent!')
    await heading(page, menu).waitFor()
    expect((await waiting(table)).map(({ asks }) => asks)).toEqual([expect.any(Number)])
  })

  it('a guest corrects the table and chooses a language, which is kept', async () => {
    await crewScreen()
    const page = await plain()
    const [wrong, table] = [freshTable(), freshTable()]
    await page.goto(linkTo(undefined, { k: codeOfRestaurant() }))
    await page.getByLabel('Table Number').fill(wrong)
    await button(page, 'Continue').tap()
    await heading(page, menu).waitFor()
    const refresh = await refuseRefresh(page)
    await button(page, 'Check/Bill').tap()
    await heading(page, 'Request Sent!').waitFor()
    await page.getByRole('link', { name: 'Not your table?' }).tap()
    await page.getByLabel('Table Number').fill('nowhere')
    refresh.allow()
    await button(page, 'Continue').tap()
    await page.getByText("We couldn't find table nowhere.").waitFor()
    await page.getByLabel('Table Number').fill(table)
    await button(page, 'Continue').tap()
    await page.getByText(`Table ${table}`, { exact: true }).waitFor()
    expect(await waiting(wrong)).toEqual([])
    expect(await waiting(table)).toMatchObject([{ serviceType: 'check', verified: true }])
    await page.locator('summary').tap()
    await button(page, 'العربية').tap()
    await heading(page, 'ماذا تحتاج؟').waitFor()
    await expect.poll(() => page.locator('html').getAttribute('dir')).toBe('rtl')
    await expect.poll(() => page.title()).toBe(`The Copper Pot · طاولة \u2068${table}\u2069`)
    await sendPlainly(page, 'مشروبات', 'أُرسل الطلب!')
    await heading(page, 'ماذا تحتاج؟').waitFor()
    expect(await waiting(table)).toMatchObject([{ serviceType: 'check' }, { serviceType: 'drinks' }])
    await page.goto(`${app.url}/customer`)
    await heading(page, 'مسح رمز QR').waitFor()
  })

  it('an expired visit is reset', async () => {
    const page = await plain()
    await page.goto(linkTo(freshTable()))
    app.advance(3 * hours + 1000)
    await page.reload()
    await heading(page, 'Session Expired').waitFor()
    await button(page, 'Start New Session').tap()
    await heading(page, menu).waitFor()
  })
})
