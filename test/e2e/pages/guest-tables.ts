import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, type TestApp, type TestSocket } from '../../support/app.ts'
import { openPage, type PageOptions } from '../support/browser.ts'
import { untilSent } from './guest-page.ts'

/** The title above the services. */
export const menu = 'What do you need?'

export const phone = (options: PageOptions = {}): Promise<Page> =>
  openPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, ...options })

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })

/** Taps a button of the menu until the request is confirmed. */
export const send = (page: Page, name: string): Promise<void> =>
  untilSent(page, () => button(page, name).tap())

/** Holds back the app's script until the returned function is called. */
export async function holdTheApp(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/assets/guest-*.js', async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

/** Holds back the answers to taps, which the server stores meanwhile, until the returned function is called. */
export async function holdAnswers(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/api/service-requests', async (route) => {
    const response = await route.fetch()
    await promise
    await route.fulfill({ response })
  })
  return resolve
}

/** A restaurant with many tables and a crew, and links to its tables. */
export function setUpGuests() {
  const app = setUpApp({ guestLimits: false })
  let restaurant: Awaited<ReturnType<TestApp['restaurant']>>
  let crewMemberId: string
  let longNamedId: string
  let codeOfRestaurant: string
  let tables = 0

  beforeAll(async () => {
    const names = Array.from({ length: 80 }, (_, index) => String(index + 1))
    restaurant = await app.restaurant({ name: 'The Copper Pot', tables: names })
    const ana = await restaurant.owner.ok(api.crew.add, { body: { name: 'Ana Lopez', role: 'Server' } })
    crewMemberId = ana.id
    const marianne = { name: 'Marianne Lindqvist', role: 'Server' } as const
    longNamedId = (await restaurant.owner.ok(api.crew.add, { body: marianne })).id
    const { guestLink } = await restaurant.owner.ok(api.restaurant.settings, {})
    codeOfRestaurant = new URL(guestLink).searchParams.get('k') ?? ''
  })

  return {
    app,
    restaurant: () => restaurant,
    longNamedId: () => longNamedId,
    /** The proof of the code that stands for the whole restaurant. */
    codeOfRestaurant: () => codeOfRestaurant,
    /** A table that no other test uses. */
    freshTable: (): string => String(++tables),
    linkTo: (table?: string, more: Record<string, string> = {}): string =>
      `${app.url}/customer?${new URLSearchParams({ r: restaurant.name, ...(table && { t: table }), ...more }).toString()}`,
    /** A staff screen where Ana works. */
    crewScreen: async (): Promise<TestSocket> => {
      const screen = await restaurant.device.connect()
      onTestFinished(() => screen.close())
      await screen.request({ type: 'set-crew-member-context', crewMemberId })
      await screen.request({ type: 'listening', sound: true, push: false })
      await screen.request({ type: 'get-pending-requests' })
      return screen
    },
    /** The screens of an earlier test are gone, for the server, too. */
    untilNobodyListens: async (): Promise<void> => {
      const query = { restaurantId: restaurant.name, tableNumber: '1' }
      await expect
        .poll(async () => (await app.browser().ok(api.requests.mine, { query })).listening)
        .toBe(false)
    },
    /** The requests of a table that the crew has to serve. */
    waiting: async (table: string) => {
      const query = { restaurantId: restaurant.name, tableNumber: table }
      const { requests } = await app.browser().ok(api.requests.mine, { query })
      return requests
    },
  }
}
