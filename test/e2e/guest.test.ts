import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { startTestApp, type TestApp, type TestSocket } from '../app.ts'
import { overflow, smallTargets, violations } from './accessibility.ts'
import { expectTrouble, openPage, openTab, type PageOptions } from './browser.ts'
import { cameraClip, drawnCamera } from './camera.ts'
import { takePictures } from './pictures.ts'

let app: TestApp
let restaurant: Awaited<ReturnType<TestApp['restaurant']>>
let tables = 0

beforeAll(async () => {
  app = await startTestApp({ guestLimits: false })
  restaurant = await app.restaurant({
    name: 'The Copper Pot',
    tables: Array.from({ length: 60 }, (_, index) => String(index + 1)),
  })
})
afterAll(() => app.stop())

/** A table that no other test uses. */
const freshTable = (): string => String(++tables)

const linkTo = (table?: string): string =>
  `${app.url}/customer?${new URLSearchParams({ r: restaurant.name, ...(table && { t: table }) }).toString()}`

const phone = (options: PageOptions = {}): Promise<Page> =>
  openPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, ...options })

/** A staff screen that hears requests, so that guests are not told to wave. */
async function staffScreen(): Promise<TestSocket> {
  const socket = await restaurant.device.connect()
  await socket.request({ type: 'listening', sound: true, push: false })
  await socket.request({ type: 'get-pending-requests' })
  return socket
}

const service = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

it('pictures', async () => {
  const page = await phone()
  const table = freshTable()
  await page.goto(linkTo(table))
  await takePictures(page, 'guest-menu-offline', ['phone'])
  const staff = await staffScreen()
  await page.reload()
  await takePictures(page, 'guest-menu', ['phone', 'desktop'])
  await service(page, 'Drinks').tap()
  await page.getByRole('heading', { name: 'Request Sent!' }).waitFor()
  await takePictures(page, 'guest-sent', ['phone'])
  await page.getByRole('heading', { name: 'What do you need?' }).waitFor()
  await takePictures(page, 'guest-request', ['phone'])
  staff.close()
})
