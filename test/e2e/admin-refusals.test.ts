import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import {
  assignTables,
  assignmentsOf,
  busyRestaurant,
  tableNumbers,
  today,
} from '../support/busy-restaurant.ts'
import { violations } from './support/accessibility.ts'
import { assignedCell, crewField, failCalls, openAdminPortal } from './support/admin-portal.ts'
import { expectPageError, openPage } from './support/browser.ts'
import { field, press, section, toast, waitForToast } from './support/locators.ts'
import { viewports } from './support/screenshots.ts'
import { signInAs } from './support/sign-in.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

describe('what the server refuses', () => {
  const actions: [message: string, method: string, path: string, act: (page: Page) => Promise<void>][] = [
    [
      'Failed to set up tables',
      'POST',
      '/api/tables/setup',
      async (page) => {
        await press(page, 'Change Tables')
        await press(page, 'Set Up Tables')
      },
    ],
    [
      'Failed to add table',
      'POST',
      '/api/tables',
      async (page) => {
        await field(page, 'Table Number').fill('99')
        await press(page, 'Add Table')
      },
    ],
    ['Failed to delete table', 'DELETE', '/api/tables/', async (page) => await press(page, 'Delete table 1')],
    [
      'Failed to add crew member',
      'POST',
      '/api/crew',
      async (page) => {
        await field(page, 'Crew Member Name').fill('Zoe')
        await press(page, 'Add Crew Member')
      },
    ],
    [
      'Failed to remove crew member',
      'DELETE',
      '/api/crew/',
      async (page) => await press(page, 'Remove Tom Novak'),
    ],
    [
      'Failed to update assignments',
      'POST',
      '/api/table-assignments/bulk',
      async (page) => {
        await crewField(page, '2').fill('Maya Chen')
        await page.keyboard.press('Enter')
      },
    ],
    [
      'Failed to copy assignments',
      'POST',
      '/api/table-assignments/copy-from-previous',
      async (page) => {
        await press(page, 'Next day')
        await press(page, 'Copy from Previous Day')
      },
    ],
    [
      'Failed to copy assignments to entire week',
      'POST',
      '/api/table-assignments/copy-to-week',
      async (page) => await press(page, 'Copy to Week'),
    ],
    [
      'Failed to update host stand assignments',
      'POST',
      '/api/host-stand-assignments',
      async (page) => await page.getByRole('checkbox', { name: 'Ana Ruiz' }).click(),
    ],
    [
      'Failed to update manager credentials',
      'POST',
      '/api/admin/manager-credentials',
      async (page) => {
        await field(page, 'Manager Username').fill('sam')
        await field(page, 'Manager Password').fill('lantern-7')
        await press(page, 'Update Credentials')
      },
    ],
  ]

  it.for(actions)('%s', async ([message, method, path, act]) => {
    const place = await busyRestaurant(app)
    await assignTables(place, today, { 1: 'Maya Chen' })
    // A table without assignments is deleted without confirmation.
    if (path === '/api/tables/') await assignTables(place, today, { 1: '' })
    const page = await openAdminPortal(app, place)
    if (path !== '/api/tables/') await assignedCell(page, '1').getByText('Maya Chen').waitFor()
    const before = await assignmentsOf(place)
    await failCalls(page, method, path)
    await act(page)
    await waitForToast(page, message)
    await toast(page).getByText('Error', { exact: true }).waitFor()
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0)
    await expect.poll(() => assignmentsOf(place)).toEqual(before)
    expect(await tableNumbers(place)).toHaveLength(12)
    await page.unrouteAll()
    await press(page, 'Dismiss')
  })

  it('rolls the host stand back to the server’s state', async () => {
    const place = await busyRestaurant(app)
    const page = await openAdminPortal(app, place)
    const [ana, ben] = [
      page.getByRole('checkbox', { name: 'Ana Ruiz' }),
      page.getByRole('checkbox', { name: 'Ben Host' }),
    ]
    await ana.check()
    await expect.poll(() => assignmentsOf(place)).toEqual({ 'Host Stand': 'Ana Ruiz' })
    expectPageError(page, /500.*host-stand-assignments/)
    const arrived = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/host-stand-assignments', async (route) => {
      arrived.resolve()
      await answer.promise
      await route.fulfill({ status: 500, body: '' })
    })
    await ben.click()
    await arrived.promise
    await expect.poll(() => ben.isChecked()).toBe(true)
    // Meanwhile somebody else removes Ana.
    await place.owner.ok(api.floor.assignHostStand, { body: { date: today, crewIds: [] } })
    answer.resolve()
    await waitForToast(page, 'Failed to update host stand assignments')
    await expect.poll(async () => [await ana.isChecked(), await ben.isChecked()]).toEqual([false, false])
    await page.unrouteAll()
    await ana.check()
    await expect.poll(() => assignmentsOf(place)).toEqual({ 'Host Stand': 'Ana Ruiz' })
  })

  it('loses no tick on a slow network', async () => {
    const place = await busyRestaurant(app)
    const page = await openAdminPortal(app, place)
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/host-stand-assignments', async (route) => {
      await answer.promise
      await route.continue()
    })
    for (const name of ['Ana Ruiz', 'Ben Host', 'Ana Ruiz', 'Ana Ruiz'])
      await page.getByRole('checkbox', { name }).click()
    answer.resolve()
    await expect
      .poll(async () => (await assignmentsOf(place))['Host Stand']?.split(', ').toSorted())
      .toEqual(['Ana Ruiz', 'Ben Host'])
    for (const name of ['Ana Ruiz', 'Ben Host'])
      expect(await page.getByRole('checkbox', { name }).isChecked()).toBe(true)
  })

  it('reports what failed, even when nothing can be loaded any more', async () => {
    const place = await busyRestaurant(app)
    const page = await openAdminPortal(app, place)
    const ana = page.getByRole('checkbox', { name: 'Ana Ruiz' })
    await ana.waitFor()
    const lost = page.waitForRequest((request) => /assignments-by-date/.test(request.url()))
    expectPageError(page, /ERR_FAILED/)
    expectPageError(page, /host-stand-assignments/)
    await page.route('**/api/**', (route) => route.abort())
    await ana.click()
    await waitForToast(page, 'Failed to update host stand assignments')
    await (await lost).response()
    await section(page, 'Tables').getByText('Failed to fetch assignments').waitFor()
    await waitForToast(page, 'Failed to update host stand assignments')
    await expect.poll(() => ana.isChecked()).toBe(false)
    await press(page, 'Refresh figures')
    await section(page, 'Dashboard Overview').getByText('The figures could not be loaded.').waitFor()
    await page.unrouteAll()
    await section(page, 'Tables').getByRole('button', { name: 'Try again' }).click()
    await ana.check()
    await expect.poll(() => assignmentsOf(place)).toEqual({ 'Host Stand': 'Ana Ruiz' })
  })

  it('leaves every other section unaffected', async () => {
    const place = await app.restaurant({ tables: ['1'] })
    const page = await openAdminPortal(app, place)
    const away = /assets\/settings-.*\.js/
    expectPageError(page, /500.*\/api\/admin\/current-user/)
    expectPageError(page, /500.*\/api\/qr-codes\/me/)
    expectPageError(page, /ERR_FAILED/)
    expectPageError(page, away)
    await failCalls(page, 'GET', '/api/admin/current-user')
    await failCalls(page, 'GET', '/api/qr-codes/me')
    await page.route(away, (route) => route.abort())
    await page.reload()
    await crewField(page, '1').waitFor()
    const missing = ['Subscription Management', 'User Management', 'Restaurant Password', 'Settings']
    for (const name of missing) await section(page, name).getByText('This could not be loaded.').waitFor()
    const code = section(page, 'QR Code Management')
    await code.getByText('The QR code could not be loaded.').waitFor()
    expect(await violations(page)).toEqual([])
    await page.unrouteAll()
    // The section whose file is missing comes last: some browsers refetch it only for a new page.
    for (const name of ['QR Code Management', 'Subscription Management', 'Settings'])
      await section(page, name).getByRole('button', { name: 'Try again' }).click()
    await field(page, 'Restaurant Name').waitFor()
    await code.getByText('No QR Code Yet').waitFor()
    for (const label of ['Manager Username', 'Current Password']) await field(page, label).waitFor()
  })

  it('reports what could not be loaded, and reloads it on request', async () => {
    const place = await busyRestaurant(app)
    await assignTables(place, today, { 1: 'Maya Chen' })
    const page = await openPage({ viewport: viewports.desktop, tolerate: [/404.*\/api\/qr-codes\/me/] })
    await signInAs(page, app, place.owner)
    for (const [path, message] of [
      ['/api/crew', 'Failed to fetch crew members'],
      ['/api/tables', 'Failed to fetch tables'],
      ['/api/table-assignments-by-date', 'Failed to fetch assignments'],
    ] as const) {
      await failCalls(page, 'GET', path)
      await page.goto(`${app.url}/admin-dashboard`)
      await waitForToast(page, message)
      await section(page, 'Table Management').getByText(message).waitFor()
      await page.unrouteAll()
      await press(page, 'Try again')
      await assignedCell(page, '1').getByText('Maya Chen').waitFor()
    }
  })
})
