import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { hourMs, minuteMs } from '#contract/durations.ts'
import { removeExpiredData } from '../../../src/server/core/retention/retention.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { lastingProblems, button, followLink, press, section, waitForTitle } from '../support/locators.ts'
import { takeScreenshots } from '../support/screenshots.ts'

const { app, open } = setUpStaffApp({ tolerate: [/\b401\b/] }, { tryDemo: true })

it.each([320, 390])('the buttons of the landing page are one column on a phone, %i', async (width) => {
  const page = await open('/')
  await page.setViewportSize({ width, height: 844 })
  const edges = async (shown: Locator): Promise<number[]> => {
    const box = await shown.boundingBox()
    return box ? [box.x, box.width, box.height] : []
  }
  const account = page.getByRole('link', { name: 'Create account', exact: true })
  await expect.poll(() => edges(account)).toEqual([16, width - 32, 56])
  await expect.poll(() => edges(button(page, 'Try the demo'))).toEqual([16, width - 32, 56])
})

it('a demo says until when it is there, asks for no password, and says when it is over', async () => {
  const page = await open('/')
  await press(page, 'Try the demo')
  await waitForTitle(page, 'Try a Request')
  const banner = page.getByText(/^This is a demo restaurant of your own\. It is erased at \d{1,2}:\d\d/u)
  await banner.waitFor()
  await takeScreenshots(page, 'demo-try', ['phone', 'desktop'])

  await page.goto(`${app.url}/admin-dashboard/settings`)
  await banner.first().waitFor()
  const deletion = section(page, 'Delete the Restaurant')
  await deletion.getByText(/It is erased at/u).waitFor()
  expect(await deletion.getByRole('button').count()).toBe(0)
  expect(await lastingProblems(page)).toEqual([])

  app.advance(20 * minuteMs)
  const file = page.waitForEvent('download')
  await press(page, 'Download everything')
  await file

  app.advance(hourMs)
  await page.clock.setSystemTime(Date.now() + hourMs + minuteMs)
  await app.whenIdle()
  await removeExpiredData(app.ctx)
  await page.goto(`${app.url}/admin-dashboard`)
  await waitForTitle(page, 'Admin Login')
  await page.getByText('Your demo has ended: its hour is up, and everything in it has been erased.').waitFor()
  expect(await lastingProblems(page)).toEqual([])
  await takeScreenshots(page, 'demo-over', ['phone', 'desktop'])
  await followLink(page, 'Back to the start')
  await button(page, 'Try the demo').waitFor()
})

it('a demo says when it is over where its visitor tries a request, without a press', async () => {
  const page = await open('/')
  await press(page, 'Try the demo')
  await waitForTitle(page, 'Try a Request')
  await page.getByTitle('The crew’s screen').contentFrame().getByText('Check/Bill').first().waitFor()
  app.advance(hourMs)
  await page.clock.setSystemTime(Date.now() + hourMs + minuteMs)
  await app.whenIdle()
  await removeExpiredData(app.ctx)
  await waitForTitle(page, 'Admin Login')
  await page.getByText('Your demo has ended: its hour is up, and everything in it has been erased.').waitFor()
})

it('a page of the Admin Portal that stays open says by itself that its demo is over', async () => {
  const page = await open('/')
  await page.clock.install()
  await press(page, 'Try the demo')
  await waitForTitle(page, 'Try a Request')
  await page.goto(`${app.url}/admin-dashboard/codes`)
  await page.getByText(/^This is a demo restaurant of your own/u).waitFor()
  app.advance(hourMs)
  await app.whenIdle()
  await removeExpiredData(app.ctx)
  // The server's clock is ahead by as much as the tests before have advanced it.
  await page.clock.fastForward(10 * hourMs)
  await waitForTitle(page, 'Admin Login')
  await page.getByText('Your demo has ended: its hour is up, and everything in it has been erased.').waitFor()
})
