import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { write } from '../../src/server/core/transaction.ts'
import { setUpApp } from '../support/app.ts'
import { openAdminPortal } from './support/admin-portal.ts'
import { overflowingElements, setTextSize } from './support/accessibility.ts'
import { accessibilityProblems, field, press, section } from './support/locators.ts'
import { takeScreenshot } from './support/screenshots.ts'

const app = setUpApp()

it('keeps less when the owner wants it: asks first, says what goes and where it stays, and undoes it', async () => {
  const restaurant = await app.restaurant({ tables: ['1'] })
  const restaurantId = await app.idOf(restaurant)
  await app.browser().ok(api.requests.send, {
    body: { restaurantId: restaurant.name, tableNumber: '1', serviceType: 'drinks' },
  })
  const old = app.now() - 100 * dayMs
  await write(app.ctx, (db) =>
    db
      .updateTable('serviceRequest')
      .set({ createdAt: old })
      .where('restaurantId', '=', restaurantId)
      .execute(),
  )
  await write(app.ctx, (db) =>
    db
      .insertInto('outsideChannel')
      .values({
        restaurantId,
        id: 'hook',
        kind: 'webhook',
        address: 'https://hooks.example.com/a-path-that-is-secret',
        secret: null,
        createdAt: 1,
        confirmedAt: 1,
        codeProof: null,
        codeExpiresAt: null,
        codeTries: 0,
        nextAt: null,
        leasedUntil: null,
        failing: 0,
        failures: 0,
        lastAt: app.now(),
        lastProblem: null,
        getsAlerts: 1,
        reportAt: null,
        reportedWeek: null,
        topics: null,
        lookedUntil: null,
      })
      .execute(),
  )

  const page = await openAdminPortal(app, restaurant, '/admin-dashboard/settings', 'How long things are kept')
  await page.setViewportSize({ width: 320, height: 640 })
  const card = section(page, 'How long things are kept')
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
    expect([size, ...(await accessibilityProblems(page)), ...(await overflowingElements(page))]).toEqual([
      size,
    ])
    await takeScreenshot(page, `admin-keep-less-${size}`)
  }
  await setTextSize(page, 16)
  await press(page, 'Remove what is older')
  await card.getByText(/^What is older is removed on .*\. You can undo this until then\.$/u).waitFor()
  expect((await restaurant.owner.ok(api.retention.state, {})).retention.requests).toBe(60)
  // What was saved is said for a while, above everything else.
  await page.reload()
  await card.getByText(/^What is older is removed on /u).waitFor()
  for (const size of [16, 32]) {
    await setTextSize(page, size)
    await card.scrollIntoViewIfNeeded()
    expect([size, ...(await accessibilityProblems(page)), ...(await overflowingElements(page))]).toEqual([
      size,
    ])
    await takeScreenshot(page, `admin-retention-${size}`, { fullPage: true })
  }
  await setTextSize(page, 16)
  await card.getByRole('button', { name: 'Undo', exact: true }).click()
  await card.getByText(/^What is older is removed on /u).waitFor({ state: 'hidden' })
  await expect.poll(() => field(page, 'Requests, in days').inputValue()).toBe('')
  expect((await restaurant.owner.ok(api.retention.state, {})).retention.requests).toBeNull()
})
