import { expect, it } from 'vitest'
import { ticket } from '../pages/crew-screen.ts'
import { choose, listening, setUpShift, startShift } from '../pages/shift-screens.ts'
import { overflowingElements, smallTargets, lastingViolations } from '../support/accessibility.ts'
import { answerPushSubscription, fakePushSubscription } from '../support/fake-push-manager.ts'
import { press, recordToasts } from '../support/locators.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'

const { app, hire, ask, openCrew } = setUpShift()

/** A small phone, and a tablet in portrait. */
const sizes = { small: { width: 360, height: 640 }, upright: { width: 820, height: 1180 } }

it("begins a shift with one tap, stands in nobody's way, and ends it", async () => {
  await hire('Maya')
  const page = await openCrew({ viewport: viewports.phone })
  const told = listening(page)
  await page.reload()
  await choose(page, 'Maya')
  const card = page.getByRole('region', { name: 'Ready to serve?' })
  await card.waitFor()
  expect(await lastingViolations(page)).toEqual([])
  expect(await smallTargets(page)).toEqual([])
  expect(await overflowingElements(page)).toEqual([])
  await takeScreenshots(page, 'shift-offer', ['phone', 'tablet'])

  // Requests can still be served meanwhile, and the card may be closed.
  await ask('4', 'check')
  await press(ticket(page, '4'), 'On my way')
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size)
    await takeScreenshot(page, `shift-offer-${name}`)
  }
  await page.setViewportSize(viewports.phone)
  await press(card, 'Not now')
  await card.waitFor({ state: 'hidden' })
  await press(page, 'Me')
  await press(page, 'Start shift')
  const question = page.getByRole('region', { name: 'Heard it?' })
  await press(question, 'No')
  await question.getByText('Turn the volume up').waitFor()
  expect(await lastingViolations(page)).toEqual([])
  await takeScreenshots(page, 'shift-unheard', ['phone'])
  await press(question, 'Play again')
  await press(question, 'Yes')
  await question.waitFor({ state: 'hidden' })
  await expect.poll(told).toEqual({ type: 'listening', sound: true, push: false, visible: true })

  await press(page, 'Alerts on this phone off')
  const drawer = page.getByRole('dialog', { name: 'This screen' })
  await drawer.getByText('Screen stays on').waitFor()
  await drawer.getByText('Sound on').waitFor()
  await drawer.getByText('Live').waitFor()
  expect(await lastingViolations(page)).toEqual([])
  await takeScreenshots(page, 'shift-screen', ['phone', 'desktop'])
  await page.keyboard.press('Escape')

  // The card is not shown twice in a shift; one tap turns the sound back on after the reload.
  await page.reload()
  await page.getByRole('button', { name: 'Start shift' }).waitFor()
  await takeScreenshots(page, 'shift-again', ['phone'])
  await press(page, 'Start shift')
  await page.getByRole('button', { name: 'Sound on' }).waitFor()
  expect(await page.getByText('Heard it?').count()).toBe(0)

  await press(page, 'Me')
  await takeScreenshots(page, 'shift-me', ['phone', 'desktop'])
  await press(page, 'End shift')
  const onTheWay = page.getByRole('dialog', { name: 'You are still on the way' })
  await onTheWay.getByText('Table 4. Who goes there').waitFor()
  expect(await lastingViolations(page)).toEqual([])
  await takeScreenshots(page, 'shift-end', ['phone', 'desktop'])
  const said = await recordToasts(page)
  await onTheWay.getByRole('radio', { name: 'Give back to everybody' }).click()
  await expect.poll(() => said).toContainEqual(expect.stringMatching(/^Shift ended/u))
  await page.getByRole('button', { name: 'Select your name' }).first().waitFor()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('crew-member-id'))).toBeNull()
  await choose(page, 'Maya')
  await page.getByRole('region', { name: 'Ready to serve?' }).waitFor()
})

it('keeps working if a part of the page cannot be loaded', async () => {
  await hire('Maya')
  const page = await openCrew({ tolerate: [/\/api\/auth\/user/, /assets\/shift-/u] })
  let isLost = true
  await page.route(/assets\/shift-/u, (route) => (isLost ? route.abort() : route.continue()))
  await page.reload()
  await choose(page, 'Maya')
  await press(page, 'Alerts on this phone off')
  await ask('4')
  await press(ticket(page, '4'), 'On my way')
  await ticket(page, '4').getByText('You’re on it').waitFor()
  isLost = false
  // Some browsers remember a failed import for as long as the page is open.
  await page.reload()
  await press(page, 'Alerts on this phone off')
  await page.getByRole('dialog', { name: 'This screen' }).waitFor()
})

it('ends the shift even if the push service does not answer, and ignores a late answer', async () => {
  await hire('Maya')
  const page = await openCrew({ viewport: viewports.phone, serviceWorkers: 'allow' })
  const endpoint = 'https://push.example.com/slow'
  const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
  await fakePushSubscription(page, { endpoint, keys }, { held: true })
  await startShift(page)
  await press(page, 'Yes')
  const said = await recordToasts(page)
  await press(page, 'Me')
  await press(page, 'End shift')
  await expect.poll(() => said).toContainEqual(expect.stringMatching(/^Shift ended/u))
  await answerPushSubscription(page)
  await expect.poll(() => page.evaluate(() => localStorage.getItem('subscribed-with'))).toBeNull()
  await press(page, 'Me')
  await page.getByRole('button', { name: 'Alerts on this phone off' }).waitFor()
  const stored = app.ctx.db.reader.selectFrom('pushSubscription').where('endpoint', '=', endpoint)
  expect(await stored.select('crewMemberId').execute()).toEqual([])
})
