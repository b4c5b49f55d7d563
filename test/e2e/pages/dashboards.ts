import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeEach } from 'vitest'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { ServiceRequest, ServiceType } from '#contract/requests/requests.ts'
import { localDate } from '../../../src/client/lib/time/dates.ts'
import { setUpApp, type TestApp, type TestBrowser } from '../../support/app.ts'
import { openPage, type PageOptions } from '../support/browser.ts'
import { viewports } from '../support/screenshots.ts'
import { signInToRestaurant } from './sign-in.ts'

type Restaurant = Awaited<ReturnType<TestApp['restaurant']>>

const tables = ['1', '2', '3', '4', '7', '12', '21', 'Patio 3']

/** A server for the tests of one file, and for each of them a restaurant, its guests and Crew Dashboards. */
export function setUpDashboards() {
  const app = setUpApp({ guestLimits: false })
  let restaurant: Restaurant
  let asked = 0

  beforeEach(async () => {
    restaurant = await app.restaurant({ tables })
  })

  /** A page of the restaurant's device, as after /restaurant-login. */
  async function signedIn(options: PageOptions = {}, as?: TestBrowser): Promise<Page> {
    const page = await openPage({ viewport: viewports.tablet, tolerate: [/\/api\/auth\/user/], ...options })
    await signInToRestaurant(page, app, restaurant, as)
    return page
  }

  async function visitDashboard(page: Page): Promise<void> {
    await page.goto(`${app.url}/waiter`)
    await page.getByText('Live', { exact: true }).waitFor()
  }

  return {
    app,
    /** The restaurant of the running test. */
    restaurant: () => restaurant,
    /** Replaces the running test's restaurant by one with these tables. */
    openRestaurant: async (numbers: string[]): Promise<void> => {
      restaurant = await app.restaurant({ tables: numbers })
    },
    hire: async (
      name: string,
      role: CrewMember['role'] = 'Server',
      ...numbers: string[]
    ): Promise<CrewMember> => {
      const member = await restaurant.owner.ok(api.crew.add, { body: { name, role } })
      const all = await restaurant.owner.ok(api.floor.tables, {})
      const assignments = all
        .filter(({ tableNumber }) => numbers.includes(tableNumber))
        .map(({ id }) => ({ tableId: id, crewMemberId: member.id }))
      if (assignments.length > 0)
        await restaurant.owner.ok(api.floor.assign, { body: { date: localDate(Date.now()), assignments } })
      return member
    },
    ask: async (tableNumber: string, serviceType: ServiceType = 'drinks'): Promise<ServiceRequest> => {
      // Requests of the same millisecond are ordered by their ids.
      const id = `${String(++asked).padStart(4, '0')}-${randomUUID()}`
      const { request } = await app.browser().ok(api.requests.send, {
        body: { id, restaurantId: restaurant.name, tableNumber, serviceType },
      })
      return request
    },
    signedIn,
    visitDashboard,
    openDashboard: async (options?: PageOptions, as?: TestBrowser): Promise<Page> => {
      const page = await signedIn(options, as)
      await visitDashboard(page)
      return page
    },
    /** A dashboard whose time can be stopped. */
    openTimedDashboard: async (): Promise<Page> => {
      const page = await signedIn()
      await page.clock.install()
      await visitDashboard(page)
      return page
    },
  }
}

export async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Select your name' }).click()
  await page.getByRole('radio', { name }).click()
  await page.getByRole('dialog', { name: 'Select Your Name' }).waitFor({ state: 'detached' })
}

/** Returns a function that counts the notes played. */
export async function withEars(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    Object.assign(window, { notes: 0 })
    const Silent = OscillatorNode
    window.OscillatorNode = class extends Silent {
      override start(at?: number): void {
        Object.assign(window, { notes: Number(Reflect.get(window, 'notes')) + 1 })
        super.start(at)
      }
    }
  })
  return () => page.evaluate(() => Number(Reflect.get(window, 'notes')))
}
