import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp } from '../../support/app.ts'
import { openPage } from '../support/browser.ts'
import { createCameraClip } from '../support/camera.ts'
import { press, recordToasts } from '../support/locators.ts'
import { neverEscalate } from '../support/never-escalate.ts'
import { viewports } from '../support/screenshots.ts'

const app = setUpApp()

/** Signs in as the crew does in the morning: restaurant password, portal, own name. */
async function startWork(restaurantName: string, name: string): Promise<Page> {
  const page = await openPage({ viewport: viewports.tablet, tolerate: [/\/api\/auth\/user/] })
  await page.goto(app.url)
  await page.getByRole('link', { name: 'Restaurant Login' }).click()
  await page.getByLabel('Restaurant Name').fill(restaurantName)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('I am not a robot').check()
  await press(page, 'Sign In')
  await page.getByRole('heading', { name: 'Select Portal' }).waitFor()
  await page
    .getByRole('link', { name: /Crew Portal/ })
    .or(page.getByRole('button', { name: /Crew Portal/ }))
    .click()
  await page.getByText('Live', { exact: true }).waitFor()
  await press(page, 'Select your name')
  await page.getByRole('radio', { name }).click()
  await page.getByRole('dialog', { name: 'Select Your Name' }).waitFor({ state: 'detached' })
  return page
}

it('carries a tap of a guest to the crew, who accept and complete it, and back to the guest', async () => {
  const { name, owner } = await app.restaurant({
    name: 'Zum Goldenen Löwen & Söhne',
    tables: ['7', 'Patio 3'],
  })
  await neverEscalate({ owner })
  await owner.ok(api.crew.add, { body: { name: 'Maya Lindqvist', role: 'Server' } })
  const crew = await startWork(name, 'Maya Lindqvist')

  const link = `${app.url}/customer?${new URLSearchParams({ r: name, t: 'Patio 3' })}`
  const guest = await openPage({
    viewport: viewports.phone,
    camera: { clip: createCameraClip(link, { blankFrames: 5 }) },
  })
  await guest.goto(`${app.url}/customer`)
  await press(guest, 'Start Scanning')
  await guest.getByRole('heading', { name: 'What do you need?' }).waitFor()
  await expect.poll(() => guest.getByText('Table Patio 3', { exact: true }).count()).toBe(1)

  const ticket = crew.getByRole('listitem').filter({ hasText: 'Patio 3' })
  const told = await recordToasts(crew)
  // All of this is shown for a few seconds only.
  await Promise.all([
    guest.getByRole('heading', { name: 'Request Sent!' }).waitFor(),
    guest.getByText('Your waiter will be with you shortly').waitFor(),
    ticket.getByText('NEW', { exact: true }).waitFor(),
    press(guest, 'Check/Bill'),
  ])
  await expect.poll(() => told).toContainEqual(expect.stringContaining('Table Patio 3 needs service'))
  await ticket.getByText('Check/Bill').waitFor()

  await guest.getByRole('heading', { name: 'What do you need?' }).waitFor()
  await guest.getByText('Seen by the crew').first().waitFor()
  await ticket.getByRole('button', { name: 'On my way' }).click()
  await guest.getByText('Maya is on the way').first().waitFor()
  await ticket.getByRole('button', { name: 'Mark Complete' }).click()
  await guest.getByText('Done', { exact: true }).first().waitFor()
  await crew.getByText('No active requests').waitFor()

  const events = await app.ctx.db.reader
    .selectFrom('requestEvent')
    .select(['kind', 'actorName'])
    .orderBy('at')
    .orderBy('id')
    .execute()
  expect(events).toEqual([
    { kind: 'created', actorName: null },
    { kind: 'seen', actorName: 'Maya Lindqvist' },
    { kind: 'accepted', actorName: 'Maya Lindqvist' },
    { kind: 'completed', actorName: 'Maya Lindqvist' },
  ])
})
