import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeEach } from 'vitest'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { ClientMessageInput } from '#contract/live.ts'
import type { ServiceType } from '#contract/requests/requests.ts'
import { setUpApp, type TestApp } from '../../support/app.ts'
import { openPage, type PageOptions } from '../support/browser.ts'
import { press } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'
import { signInToRestaurant } from './sign-in.ts'

/** A server for the tests of one file, and for each of them a restaurant of many tables, its guests and crew screens. */
export function setUpShift() {
  const app = setUpApp({ guestLimits: false })
  let restaurant: Awaited<ReturnType<TestApp['restaurant']>>

  beforeEach(async () => {
    const numbers = Array.from({ length: 40 }, (_, index) => `${index + 1}`)
    restaurant = await app.restaurant({ tables: [...numbers, 'Patio 3', 'By the fountain'] })
  })

  async function ask(
    tableNumber: string,
    serviceType: ServiceType = 'drinks',
    minutesAgo = 0,
  ): Promise<void> {
    app.advance(-minutesAgo * 60_000)
    await app.browser().ok(api.requests.send, {
      body: { id: randomUUID(), restaurantId: restaurant.name, tableNumber, serviceType },
    })
    app.advance(minutesAgo * 60_000)
  }

  async function openCrew(options: PageOptions = {}, path = '/waiter'): Promise<Page> {
    const page = await openPage({ viewport: viewports.desktop, tolerate: [/\/api\/auth\/user/], ...options })
    await signInToRestaurant(page, app, restaurant)
    await page.context().grantPermissions(['screen-wake-lock'])
    await page.goto(`${app.url}${path}`)
    await page.getByText('Live', { exact: true }).waitFor()
    return page
  }

  return {
    app,
    /** The restaurant of the running test. */
    restaurant: () => restaurant,
    hire: (name: string, role: CrewMember['role'] = 'Server') =>
      restaurant.owner.ok(api.crew.add, { body: { name, role } }),
    ask,
    openCrew,
  }
}

export async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Select your name' }).first().click()
  await page.getByRole('radio', { name }).click()
  await page.getByRole('dialog', { name: 'Select Your Name' }).waitFor({ state: 'detached' })
}

/** As Maya, after a reload. */
export async function startShift(page: Page): Promise<void> {
  await page.reload()
  await choose(page, 'Maya')
  await press(page, 'Start shift')
}

/** Returns the last `listening` message that the page sent. */
export function listening(page: Page): () => unknown {
  let last: unknown
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const sent: ClientMessageInput = JSON.parse(String(payload))
      for (const { ref: _, ...message } of sent.type === 'resume' ? sent.messages : [sent])
        if (message.type === 'listening') last = message
    }),
  )
  return () => last
}
