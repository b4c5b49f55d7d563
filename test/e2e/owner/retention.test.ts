import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs, minuteMs } from '#contract/durations.ts'
import { write } from '../../../src/server/core/transaction.ts'
import { password, setUpApp } from '../../support/app.ts'
import { insertUsedChannel } from '../../support/outside/used-channel.ts'
import { readZip } from '../../support/reading/zip-reader.ts'
import { openAdminPortal } from '../pages/admin-portal.ts'
import { overflowingElements, setTextSize } from '../support/accessibility.ts'
import { expectPageError } from '../support/browser.ts'
import { lastingProblems, button, field, press, section, waitForToast } from '../support/locators.ts'
import { takeScreenshot, takeScreenshots } from '../support/screenshots.ts'

const app = setUpApp()

const focusedText = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.textContent)

it('keeps less when the owner wants it: asks first, says what goes and where it stays, and undoes it', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const restaurantId = await app.idOf(restaurant)
  await app.browser().ok(api.requests.send, {
    body: { restaurantId: restaurant.name, tableNumber: '1', serviceType: 'drinks' },
  })
  const old = app.now() - 100 * dayMs
  await write(app.ctx, ({ db }) =>
    db
      .updateTable('serviceRequest')
      .set({ createdAt: old })
      .where('restaurantId', '=', restaurantId)
      .execute(),
  )
  const address = 'https://hooks.example.com/a-path-that-is-secret'
  await write(app.ctx, ({ db }) =>
    insertUsedChannel(db, { restaurantId, id: 'hook', address, lastAt: app.now() }),
  )

  const page = await openAdminPortal(app, restaurant, '/admin-dashboard/settings', 'How long things are kept')
  await page.setViewportSize({ width: 320, height: 640 })
  const card = section(page, 'How long things are kept')
  await card.getByText('Everything, unless you want less.', { exact: true }).waitFor()
  await press(card, 'Change: How long things are kept')
  await field(page, 'Requests, in days').fill('20')
  await card.getByRole('button', { name: 'Save', exact: true }).click()
  await card.getByText('Requests are kept for at least 35 days').waitFor()
  await field(page, 'Requests, in days').fill('60')
  await card.getByRole('button', { name: 'Save', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Keep less?' })
  await dialog.getByText(/^Requests: 4[12] days, from before /u).waitFor()
  await dialog.getByText(/What was sent stays where it went: hooks\.example\.com \(until /u).waitFor()
  expect(await page.content()).not.toContain('a-path-that-is-secret')
  for (const size of [16, 32]) {
    await setTextSize(page, size)
    expect([size, ...(await lastingProblems(page)), ...(await overflowingElements(page))]).toEqual([size])
    await takeScreenshot(page, `admin-keep-less-${size}`)
  }
  await setTextSize(page, 16)
  await press(page, 'Remove what is older')
  await card.getByText(/^What is older is removed on .*\. You can undo this until then\.$/u).waitFor()
  expect((await restaurant.owner.ok(api.retention.state, {})).retention.requests).toBe(60)
  // What was saved is said for a while, above everything else.
  await page.reload()
  await card.getByText(/^What is older is removed on /u).waitFor()
  await card.getByText('Requests: 60 days · Messages: everything · Log of changes: everything').waitFor()
  // As the command menu leads to it.
  await page.evaluate(() => void (location.hash = 'retention'))
  await field(page, 'Requests, in days').waitFor()
  await expect.poll(() => focusedText(page)).toBe('How long things are kept')
  for (const size of [16, 32]) {
    await setTextSize(page, size)
    await card.scrollIntoViewIfNeeded()
    expect([size, ...(await lastingProblems(page)), ...(await overflowingElements(page))]).toEqual([size])
    await takeScreenshot(page, `admin-retention-${size}`, { fullPage: true })
  }
  await setTextSize(page, 16)
  await card.getByRole('button', { name: 'Undo', exact: true }).click()
  await card.getByText(/^What is older is removed on /u).waitFor({ state: 'hidden' })
  await expect.poll(() => field(page, 'Requests, in days').inputValue()).toBe('')
  expect((await restaurant.owner.ok(api.retention.state, {})).retention.requests).toBeNull()
})

it('hands the owner everything in one file, also where the restaurant is about to be deleted', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const page = await openAdminPortal(app, restaurant, '/admin-dashboard/settings', 'All your data')
  await button(page, 'Delete Restaurant').waitFor()
  const card = section(page, 'All your data')
  await card.scrollIntoViewIfNeeded()
  await takeScreenshots(page, 'admin-all-data', ['phone', 'desktop'])
  await press(page, 'Delete Restaurant')
  const dialog = page.getByRole('dialog', { name: `Delete ${restaurant.name}?` })
  await button(dialog, 'Download everything').waitFor()
  await takeScreenshots(page, 'admin-delete-restaurant', ['phone', 'desktop'])
  const before = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 640 })
  for (const size of [16, 32]) {
    await setTextSize(page, size)
    expect([size, ...(await lastingProblems(page)), ...(await overflowingElements(page))]).toEqual([size])
    await takeScreenshot(page, `admin-delete-restaurant-320-${size}`)
  }
  await setTextSize(page, 16)
  if (before) await page.setViewportSize(before)

  // Whoever signed in a while ago says first who they are.
  app.advance(16 * minuteMs)
  expectPageError(page, /403.*restaurant\/export/)
  await press(dialog, 'Download everything')
  const confirmation = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await field(page, 'Admin Login password of owner@example.com').fill(password)
  const [file] = await Promise.all([page.waitForEvent('download'), press(confirmation, 'Confirm')])
  await waitForToast(page, file.suggestedFilename())
  expect(file.suggestedFilename()).toMatch(/^Blue-Door-\d+-export-\d{8}T\d{6}Z\.zip$/u)
  const files = readZip(readFileSync(await file.path()))
  expect(JSON.parse(String(files.get('manifest.json')))).toMatchObject({
    tableside: 'export',
    restaurant: { name: restaurant.name },
  })
  expect(String(files.get('floor-table.jsonl'))).toContain('"tableNumber":"1"')

  // While it comes, the other button says so too; and one is enough.
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  onTestFinished(() => release())
  await page.route('**/api/restaurant/export', async (route) => {
    await held
    await route.fallback()
  })
  await press(dialog, 'Download everything')
  await button(dialog, 'Preparing…').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  expect(await button(card, 'Preparing…').isDisabled()).toBe(true)
  expect(await lastingProblems(page)).toEqual([])
  const again = page.waitForEvent('download')
  release()
  expect(readZip(readFileSync(await (await again).path())).size).toBe(files.size)
  await button(card, 'Download everything').waitFor()
})
