import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { ticket } from '../pages/crew-screen.ts'
import { choose, setUpDashboards, withEars } from '../pages/dashboards.ts'
import { lastingViolations } from '../support/accessibility.ts'
import { openNetwork, serverAwayErrors } from '../support/browser.ts'
import { press, toast } from '../support/locators.ts'
import { takeScreenshots } from '../support/screenshots.ts'
import { stopTime } from '../support/time.ts'

const { app, restaurant, hire, ask, signedIn, visitDashboard, openDashboard, openTimedDashboard } =
  setUpDashboards()

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
        .toMatch(/^Table\s*4\s+Check\/Bill\s+\d+[sm] ago\s+NEW/)
      await expect.poll(() => toast(page).innerText()).toMatch(/^New Request\s+Table 4 needs service/)
      await page.getByText('1 Active').waitFor()
    }
    await expect.poll(notes).toBe(2)
    await press(ticket(second, '4'), 'Unverified')
    // What follows the tap comes after its paint.
    await second.clock.runFor(500)
    await toast(second).getByText('It was sent without the code on the table.').waitFor()
    await expect.poll(() => first.title()).toBe('(1) Crew Dashboard · Tableside')
    await first.clock.runFor(4_900)
    expect(await newBadge.count()).toBe(1)
    expect(await notes()).toBe(2)
    await first.clock.runFor(200)
    await expect.poll(() => newBadge.count()).toBe(0)
    await expect.poll(() => seenBy(request)).toBeGreaterThan(0)
  })
})

async function seenBy({ id }: ServiceRequest): Promise<number> {
  const socket = await restaurant().device.connect()
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
    await expect.poll(() => recent.innerText()).toMatch(/^4\s+Food Order\s+Crew · \d+[sm] ago\s+Undo/)
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
    const socket = await restaurant().device.connect()
    // The page is live before its tap arrives.
    const stored = async () => {
      socket.send({ type: 'get-pending-requests' })
      return socket.next('pending-requests')
    }
    await expect.poll(stored).toMatchObject({ requests: [], recent: [{ request: { id: request.id } }] })
    await ask('7')
    await ticket(page, '7').waitFor()
  })
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
    const colleague = await restaurant().device.connect()
    await colleague.request({ type: 'set-crew-member-context', crewMemberId: leo.id })

    network.switchTo('away')
    await page.getByText('Reconnecting…').waitFor()
    await ticket(page, '4').getByRole('button', { name: 'On my way' }).press('Enter')
    await ticket(page, '7').getByRole('button', { name: 'Mark Complete' }).press('Enter')
    await ticket(page, '12').getByRole('button', { name: 'Mark Complete' }).press('Enter')
    await ticket(page, '4').getByText('On my way · waits to send').waitFor()
    await ticket(page, '7').getByText('Complete · waits to send').waitFor()
    await page.getByText('3 taps wait to send').waitFor()
    await page.getByText(/^Last heard \d+[sm] ago/u).waitFor()
    const banner = async () => {
      const box = await page.locator('.offline').boundingBox()
      return [box?.x, box?.width]
    }
    await expect.poll(banner).toEqual([0, page.viewportSize()?.width])
    await takeScreenshots(page, 'crew-offline', ['phone', 'desktop'])
    expect(await lastingViolations(page)).toEqual([])
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
