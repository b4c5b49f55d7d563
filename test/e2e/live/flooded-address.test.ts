import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../support/app.ts'
import { floodAddress } from '../../support/guest-flood.ts'
import { openPage } from '../support/browser.ts'
import { button } from '../support/locators.ts'

/** Time stands still for the server, so a limit that is used up stays so. */
const app = setUpApp({ scheduler: 'manual', clock: 'still' })

/** A restaurant whose guests share their address with somebody who sends as much as an address may. */
async function openFloodedRestaurant() {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const { guestLink } = await restaurant.owner.ok(api.restaurant.settings, {})
  const code = new URL(guestLink).searchParams.get('k') ?? ''
  const ana = await restaurant.owner.ok(api.crew.add, { body: { name: 'Ana Lopez', role: 'Server' } })
  const crew = await restaurant.device.connect()
  onTestFinished(() => crew.close())
  await crew.request({ type: 'set-crew-member-context', crewMemberId: ana.id })
  await crew.request({ type: 'listening', sound: true, push: false })
  await crew.request({ type: 'get-pending-requests' })
  await floodAddress(app)
  const link = (more: Record<string, string> = {}) =>
    `${app.url}/customer?${new URLSearchParams({ r: restaurant.name, t: '7', ...more }).toString()}`
  return { crew, link, code }
}

const phone = (): Promise<Page> => openPage({ viewport: { width: 390, height: 844 }, hasTouch: true })

/** What a page hears on its live channel, and how often it has asked for its table's requests instead. */
function watchChannel(page: Page) {
  const heard: string[] = []
  const unanswered = new Set<string>()
  const watched = { heard, unanswered, polls: 0 }
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => unanswered.add(JSON.parse(payload.toString()).ref))
    socket.on('framereceived', ({ payload }) => {
      heard.push(payload.toString())
      unanswered.delete(JSON.parse(payload.toString()).ref)
    })
  })
  page.on('request', (request) => {
    if (request.url().includes('/api/service-requests/mine')) watched.polls += 1
  })
  return watched
}

/** In the page, where nothing is lost: what it asks on the way is answered before more time passes. */
async function passSeconds(
  page: Page,
  { unanswered }: ReturnType<typeof watchChannel>,
  seconds: number,
): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await page.clock.runFor(1_000)
    await expect.poll(() => unanswered.size).toBe(0)
  }
}

/** Since then the server tells the page what happens at its table. */
const isFollowing = ({ heard }: ReturnType<typeof watchChannel>): boolean =>
  heard.some((text) => text.includes('"requests":['))

const row = (page: Page) => page.getByRole('listitem').filter({ hasText: 'Drinks' })

it('keeps nothing from a guest with a code whose address somebody floods', async () => {
  const { crew, link, code } = await openFloodedRestaurant()
  const page = await phone()
  const channel = watchChannel(page)
  await page.goto(link({ k: code }))
  // A tap that overtakes the list of the table's requests asks for it once more.
  await expect.poll(() => isFollowing(channel)).toBe(true)
  await button(page, 'Drinks').tap()
  const { request } = await crew.next('new-request')
  await row(page).getByText('Sent', { exact: true }).waitFor()
  await crew.request({ type: 'accept-request', id: request.id })
  await row(page).getByText('Ana is on the way').waitFor()
  expect(channel.polls).toBe(0)
})

it('lets a guest without a code ask for the news meanwhile, and follow the table as soon as there is room', async () => {
  const { crew, link } = await openFloodedRestaurant()
  const page = await phone()
  const channel = watchChannel(page)
  await page.clock.install()
  await page.goto(link())
  await expect.poll(() => channel.heard.some((text) => text.includes('rate_limited'))).toBe(true)
  await button(page, 'Drinks').tap()
  const { request } = await crew.next('new-request')
  await row(page).getByText('Sent', { exact: true }).waitFor()
  await crew.request({ type: 'accept-request', id: request.id })
  await passSeconds(page, channel, 20)
  await row(page).getByText('Ana is on the way').waitFor()

  app.advance(5_000)
  await passSeconds(page, channel, 30)
  await expect.poll(() => isFollowing(channel)).toBe(true)
  const { polls } = channel
  await crew.request({ type: 'complete-request', id: request.id })
  await row(page).getByText('Done').waitFor()
  expect(channel.polls).toBe(polls)
})
