import { expect, it } from 'vitest'
import { ticket } from '../pages/crew-screen.ts'
import { choose, listening, setUpShift, startShift } from '../pages/shift-screens.ts'
import { lastingViolations } from '../support/accessibility.ts'
import { openNetwork, serverAwayErrors } from '../support/browser.ts'
import { fakePushSubscription } from '../support/fake-push-manager.ts'
import { press, recordToasts } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'

const { app, hire, ask, openCrew } = setUpShift()

it('notifies the sleeping phone, from the same tap on, until the shift ends', async () => {
  await hire('Maya')
  const page = await openCrew({ viewport: viewports.phone, serviceWorkers: 'allow' })
  const told = listening(page)
  const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
  await fakePushSubscription(page, { endpoint: 'https://push.example.com/maya', keys })
  await startShift(page)
  await page.getByRole('region', { name: 'Heard it?' }).getByText('Alerts on this phone on').waitFor()
  await press(page, 'Yes')
  await press(page, 'Me')
  const bell = page.getByRole('button', { name: 'Alerts on this phone on' })
  await bell.waitFor()
  const full = { type: 'listening', sound: true, push: true, visible: true }
  await expect.poll(told).toEqual(full)
  await bell.click()
  await press(page, 'Turn alerts off')
  await expect.poll(told).toEqual({ ...full, push: false })
  await press(page, 'Turn alerts on')
  await expect.poll(told).toEqual(full)
  await page.keyboard.press('Escape')
  await press(page, 'End shift')
  await expect.poll(told).toEqual({ ...full, sound: false, push: false })
  await press(page, 'Me')
  await page.getByRole('button', { name: 'Alerts on this phone off' }).waitFor()
})

it('hands the tables over for a break, and takes them back', async () => {
  await hire('Maya')
  await hire('Leo')
  const [maya, leo] = [await openCrew(), await openCrew()]
  await choose(maya, 'Maya')
  await choose(leo, 'Leo')
  await press(maya, 'Going on break')
  const drawer = maya.getByRole('dialog', { name: 'Going on break' })
  const toldLeo = await recordToasts(leo)
  await drawer.getByRole('radio', { name: 'Everybody' }).waitFor()
  expect(await lastingViolations(maya)).toEqual([])
  await drawer.getByRole('radio', { name: 'Leo' }).click()
  await maya.getByText('You are on a break · Leo covers').waitFor()
  await expect.poll(() => toldLeo).toContainEqual(expect.stringMatching(/^You cover for Maya/u))
  const covers = leo.locator('#content').getByText('You cover for Maya')
  await covers.waitFor()
  // A shortcut leads to the messages, where typed letters are text and not shortcuts.
  await ask('1')
  await maya.getByText('1 Active').waitFor()
  await drawer.waitFor({ state: 'hidden' })
  await maya.locator('body').press('m')
  const search = maya.getByPlaceholder('Search contacts...')
  await search.and(maya.locator(':focus')).waitFor()
  await maya.keyboard.type('cle')
  await expect.poll(() => search.inputValue()).toBe('cle')
  await maya.getByText('1 Active').waitFor()
  await press(maya, 'Back from break')
  await covers.waitFor({ state: 'hidden' })
  await maya.getByRole('button', { name: 'Going on break' }).waitFor()
})

it('keeps a break that is tapped without a connection', async () => {
  await hire('Maya')
  await hire('Leo')
  const network = await openNetwork(app)
  const tolerate = [/\/api\/auth\/user/, ...serverAwayErrors]
  const page = await openCrew({ ...network.options, tolerate })
  await choose(page, 'Maya')
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('assets/shift-')),
  )
  network.switchTo('away')
  await page.getByText('Reconnecting…').waitFor()
  await press(page, 'Going on break')
  await page.getByRole('dialog').getByRole('radio', { name: 'Leo' }).click()
  await page.getByText('Kept: your break begins when the connection is back').waitFor()
  await page.getByRole('button', { name: 'Back from break' }).waitFor()
  network.switchTo('up')
  await page.getByText('You are on a break · Leo covers').waitFor()
})

it('asks who goes there when a shift ends before “On my way” could be sent, and does not send it then', async () => {
  await hire('Maya')
  await hire('Leo')
  await ask('4')
  const network = await openNetwork(app)
  const tolerate = [/\/api\//, ...serverAwayErrors]
  const page = await openCrew({ ...network.options, tolerate })
  const accepts: string[] = []
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      if (String(payload).includes('"accept-request"')) accepts.push(String(payload))
    }),
  )
  await choose(page, 'Maya')
  await ticket(page, '4').waitFor()
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('assets/shift-')),
  )
  network.switchTo('away')
  await page.getByText('Reconnecting…').waitFor()
  await press(ticket(page, '4'), 'On my way')
  await ticket(page, '4').getByText('On my way · waits to send').waitFor()
  await press(page, 'End shift')
  const drawer = page.getByRole('dialog', { name: 'You are still on the way' })
  await drawer.getByText('Table 4. Who goes there when your shift ends?').waitFor()
  await drawer.getByRole('radio', { name: 'Give back to everybody' }).click()
  await page.getByRole('button', { name: 'Select your name' }).first().waitFor()
  network.switchTo('up')
  await page.getByText('Live', { exact: true }).waitFor()
  await choose(page, 'Leo')
  await press(ticket(page, '4'), 'On my way')
  await ticket(page, '4').getByText('You’re on it').waitFor()
  expect(accepts).toHaveLength(1)
})
