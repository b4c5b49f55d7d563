import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { whenFollowing } from '../pages/guest-page.ts'
import { openRestaurant, screenOf } from '../pages/languages.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { overflowingElements, smallTargets, lastingViolations } from '../support/accessibility.ts'
import { openPage } from '../support/browser.ts'
import { button } from '../support/locators.ts'
import { takeScreenshot, takeScreenshots } from '../support/screenshots.ts'

const { app } = setUpStaffApp()

it('a host opens a table for its guests, and closes it when they have paid', async () => {
  const restaurant = await openRestaurant(app)
  const { guestLink } = await restaurant.owner.ok(api.restaurant.change, { body: { seating: true } })
  const link = new URL(guestLink)
  link.searchParams.set('t', '4')
  const guest = await openPage({
    viewport: { width: 320, height: 640 },
    locale: 'de',
    // A tap at a table that was closed.
    tolerate: [/410.*\/api\/service-requests/, /409.*\/api\/service-requests/],
  })
  await guest.goto(link.href)
  await guest
    .getByText('Dieser Tisch ist nicht geöffnet. Bitte lassen Sie ihn von Ihrer Bedienung öffnen.')
    .first()
    .waitFor()
  expect([await lastingViolations(guest), await overflowingElements(guest)]).toEqual([[], []])
  await takeScreenshot(guest, 'seating-guest-closed-320')

  const host = await screenOf(app, restaurant, 'Maya Lindqvist', 'Select your name')
  await host.getByRole('button', { name: 'Me', exact: true }).first().click()
  await host.getByRole('button', { name: /^Seat tables/u }).click()
  await host.getByText('Wants to be seated').last().waitFor()
  expect([await lastingViolations(host), await smallTargets(host)]).toEqual([[], []])
  await takeScreenshots(host, 'seating-crew', ['phone', 'desktop'])
  // The second tap of a double tap lands on "Close table" as soon as the table is open.
  const box = await button(host, 'Table 4: Open table').boundingBox()
  if (box === null) throw new Error('The button has no place')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await host.mouse.click(x, y)
  const paid = button(host, 'Table 4: Close table')
  await paid.click({ trial: true })
  await host.mouse.down({ clickCount: 2 })
  await host.mouse.up({ clickCount: 2 })
  await guest.getByRole('button', { name: 'Getränke' }).click()
  await guest.getByText('Gesendet').first().waitFor()

  await paid.click()
  await host.getByText(/^Open requests: 1\./u).waitFor()
  await button(host, 'Close anyway').click()
  const isOver = guest.getByText('Ihr Besuch an diesem Tisch ist beendet.').last()
  await isOver.waitFor()
  await button(host, 'Table 4: Open table').waitFor()
  await button(host, 'Undo').click()
  const seated = async () => {
    const { tables } = await restaurant.device.ok(api.seating.list, {})
    return tables.filter(({ seatedAt }) => seatedAt !== null)
  }
  await expect.poll(seated).toMatchObject([{ tableNumber: '4' }])
  await isOver.waitFor({ state: 'hidden' })
  await guest.getByRole('heading', { name: 'Was brauchen Sie?' }).waitFor()

  // For good: nobody waits any more.
  await paid.click()
  await expect.poll(seated).toEqual([])
  await isOver.waitFor()
  await takeScreenshot(guest, 'seating-guest-over-320')
  expect(await lastingViolations(guest)).toEqual([])

  // Who opened the page meanwhile hears what becomes of the next visit, too.
  const following = whenFollowing(guest)
  await guest.reload()
  await following
  await button(host, 'Table 4: Open table').click()
  await expect.poll(seated).toMatchObject([{ tableNumber: '4' }])
  await guest.getByRole('button', { name: 'Neue Sitzung beginnen' }).click()
  await guest.getByRole('button', { name: 'Getränke' }).click()
  await guest.getByRole('button', { name: 'Noch etwas anfragen' }).click()
  const crew = await restaurant.device.connect()
  onTestFinished(() => crew.close())
  const query = { restaurantId: restaurant.name, tableNumber: '4' }
  const { requests } = await app.browser().ok(api.requests.mine, { query })
  await crew.request({ type: 'accept-request', id: requests[0]?.id ?? '' })
  await guest.getByText('ist unterwegs').first().waitFor()
})
