import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { overflowingNow } from './support/accessibility.ts'
import { openPage } from './support/browser.ts'
import { lastingProblems, button, field, press, section } from './support/locators.ts'
import { takeScreenshots, viewports } from './support/screenshots.ts'

let simulation: ChildProcess
let address = ''
let page: Page

/** The simulation replaces the timers of its process, so it has one of its own. */
beforeAll(async () => {
  const child = spawn(process.execPath, ['simulation/main.ts', '--watch', '--seed=5'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  simulation = child
  const [line] = await once(createInterface(child.stdout), 'line')
  address = String(line)
})

afterAll(async () => {
  simulation.kill()
  await once(simulation, 'close')
})

beforeEach(async () => {
  page = await openPage({ viewport: viewports.desktop, reducedMotion: 'reduce' })
  await page.goto(address)
  await counter('Taps').getByText(/\d/).waitFor()
  await order('New evening')
})

const counter = (name: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .getByRole('definition')

const count = async (name: string): Promise<number> => Number(await counter(name).textContent())

const status = () => page.getByRole('status').textContent()

/** Presses it, and waits for what the simulation says about it. */
async function order(name: string): Promise<string> {
  const answered = page.waitForResponse('**/commands')
  await press(page, name)
  const { said } = await (await answered).json()
  await expect.poll(status).toBe(said)
  return said
}

/** The least or the most that there can be. */
async function choose(key: 'Home' | 'End', name: string): Promise<void> {
  const slider = field(page, name)
  const end = await slider.getAttribute(key === 'Home' ? 'min' : 'max')
  if ((await slider.inputValue()) === end) return
  const answered = page.waitForResponse('**/commands')
  await slider.press(key)
  await answered
}

/** What needs somebody who waits is asked for until somebody does. */
async function orderUntil(name: string, said: string): Promise<void> {
  for (let tries = 0; (await order(name)) !== said; tries++) {
    expect(tries).toBeLessThan(100)
    await order('Step 5 s')
  }
}

it('plays an evening in which guests ask and the crew serves them', async () => {
  await expect.poll(() => count('Completed')).toBeGreaterThan(3)
  expect(await count('Acknowledged')).toBeLessThanOrEqual(await count('Taps'))
  await section(page, 'What happened')
    .getByText(/has served table/)
    .first()
    .waitFor()
  await section(page, 'The crew')
    .getByText(/serves table|walks to table/)
    .first()
    .waitFor()
  for (const promise of ['Lost', 'Untrue', 'Other breaches']) expect(await count(promise)).toBe(0)
})

it('says what the rush asks of the crew', async () => {
  await choose('End', 'Rush')
  await expect.poll(() => counter('Sounds per person in 10 min').textContent()).toMatch(/^\d+\.\d$/u)
  await expect.poll(() => counter('“On my way” to nine of ten within').textContent()).toMatch(/^\d+:\d\d$/u)
  await expect.poll(() => counter('Requests that alerted all').textContent()).toMatch(/^[1-9]\d*(\.\d)? %$/u)
  expect(await counter('Requests that alerted the manager').textContent()).toMatch(/^\d+(\.\d)? %$/u)
})

it('stands still on a pause, and goes on by steps', async () => {
  // Paused before anything has happened, it would have nothing to compare.
  await page.locator('#log li').first().waitFor()
  await order('Pause')
  const before = await page.locator('#log li').first().textContent()
  const taps = await count('Taps')
  expect(await order('Step 5 s')).toBe('Five seconds have passed')
  for (let steps = 0; steps < 40 && (await count('Taps')) === taps; steps++) await order('Step 5 s')
  expect(await count('Taps')).toBeGreaterThan(taps)
  expect(await page.locator('#log li').first().textContent()).not.toBe(before)
  await order('Go on')
  await button(page, 'Pause').waitFor()
})

it('follows its sliders by keyboard', async () => {
  await choose('Home', 'Staff')
  await expect.poll(() => section(page, 'The crew').getByText('not at work').count()).toBe(6)
  await choose('End', 'Rush')
  expect(await field(page, 'Rush').getAttribute('aria-valuetext')).toBe('480 requests an hour')
  await section(page, 'The floor')
    .getByText(/Please wave to your waiter/)
    .first()
    .waitFor()
  await expect.poll(() => count('Manager alerted')).toBeGreaterThan(0)
  await takeScreenshots(page, 'watched-evening-alone', ['phone', 'desktop'], { fullPage: true })
  await choose('End', 'Staff')
  await expect.poll(() => section(page, 'The crew').getByText('not at work').count()).toBe(0)
  for (const promise of ['Lost', 'Untrue', 'Other breaches']) expect(await count(promise)).toBe(0)
})

it('loses nothing when networks, the server and the push service are broken by hand', async () => {
  const tableOne = section(page, 'The floor').getByRole('listitem').filter({ hasText: 'Table 1' }).first()
  await field(page, 'Whose network').selectOption('Table 1’s phone')
  await order('Cut it')
  await tableOne.getByText(/no network/).waitFor()
  await order('Give it back')
  await expect.poll(() => tableOne.getByText(/no network/).count()).toBe(0)
  await field(page, 'Whose network').selectOption('Maya’s screen')
  await order('Half-open')
  await order('Lose the push service')
  await order('Kill the server')
  await order('Restart the server')
  await order('Bring the push service back')
  const log = section(page, 'What happened')
  for (const line of ['The server is killed', 'The server is stopped for an update'])
    await log.getByText(line).first().waitFor()
  const completed = await count('Completed')
  await expect.poll(() => count('Completed')).toBeGreaterThan(completed)
  for (const promise of ['Lost', 'Untrue', 'Other breaches']) expect(await count(promise)).toBe(0)
})

it('counts a lie to a guest, and a request that has gone', async () => {
  await choose('End', 'Rush')
  await order('Pause')
  await page.getByText('Do the counters count?').click()
  await orderUntil('Tell a guest a lie', 'A guest was told a lie')
  await expect.poll(() => count('Untrue')).toBe(1)
  expect(await count('Lost')).toBe(0)
  expect(await count('Other breaches')).toBe(0)
  await section(page, 'What happened')
    .getByText(/was told "Nobody is on the way"/)
    .waitFor()

  await order('New evening')
  await expect.poll(() => count('Untrue')).toBe(0)
  await order('Pause')
  await orderUntil('Delete a request', 'A request was deleted')
  await expect.poll(() => count('Lost')).toBe(1)
  expect(await count('Untrue')).toBe(0)
  await section(page, 'What happened')
    .getByText(/was acknowledged and is stored 0 times/)
    .waitFor()
  await order('New evening')
})

it.for(['phone', 'desktop'] as const)('can be read and used by everybody on a %s', async (screen) => {
  await page.setViewportSize(viewports[screen])
  await expect.poll(() => count('Completed')).toBeGreaterThan(0)
  await order('Pause')
  await page.getByText('Do the counters count?').click()
  expect(await lastingProblems(page)).toEqual([])
  expect(await overflowingNow(page)).toEqual([])
  await takeScreenshots(page, 'watched-evening', [screen], { fullPage: true })
  await order('Go on')
})

it('is steered by no other site', async () => {
  const post = (headers: Record<string, string>) =>
    page.request.post(`${address}commands`, { headers, data: JSON.stringify({ do: 'kill' }) })
  expect((await post({ 'content-type': 'text/plain' })).status()).toBe(400)
  expect((await post({ 'content-type': 'application/json', host: 'rebound.example' })).status()).toBe(403)
  const nonsense = await page.request.post(`${address}commands`, { data: { do: 'set', rush: -1 } })
  expect(nonsense.status()).toBe(400)
})
