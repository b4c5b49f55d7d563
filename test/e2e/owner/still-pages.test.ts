import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { seedDemo } from '../../../src/server/seed.ts'
import type { TestBrowser } from '../../support/app.ts'
import { signInAs } from '../pages/sign-in.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { openPage } from '../support/browser.ts'
import { nextFrame, section } from '../support/locators.ts'
import { viewports } from '../support/screenshots.ts'

declare global {
  interface Window {
    /** What moved in view while nobody touched the page. */
    moved: string[]
  }
}

const staff = setUpStaffApp()
const demo: Record<string, TestBrowser> = {}

beforeAll(async () => {
  const seeded = await seedDemo(staff.app.ctx)
  const passwordOf = (login: string) => seeded?.logins.find(({ who }) => who === login)?.password ?? ''
  const restaurantName = 'The Copper Pot'
  const owner = staff.app.browser()
  const ownerPassword = passwordOf('Restaurant and Admin Login')
  await owner.ok(api.accounts.ownerLogin, { body: { username: restaurantName, password: ownerPassword } })
  const manager = staff.app.browser()
  const password = passwordOf('Management Login')
  await manager.ok(api.managers.login, { body: { restaurantName, username: 'manager', password } })
  Object.assign(demo, { owner, manager })
})

function watchMoves(): void {
  window.moved = []
  type Shift = PerformanceEntry & { value: number; sources: { node: Node | null }[] }
  const isShift = (entry: PerformanceEntry): entry is Shift => entry.entryType === 'layout-shift'
  new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries().filter(isShift))
      window.moved.push(...sources.map(({ node }) => node?.textContent?.slice(0, 40) ?? 'what is gone'))
  }).observe({ type: 'layout-shift', buffered: true })
}

/** From what is shown last to what is shown first; all else is answered before. */
const upwards = [
  '/api/qr-codes/me',
  '/api/analytics/expected-times',
  '/api/table-assignments-by-date',
  '/api/host-stand',
  '/api/tables',
  '/api/crew',
  '/api/analytics',
  '/api/analytics/overview',
  '/api/opening',
  '/api/manager-notes',
  '/api/authenticator',
  '/api/owner-notices',
]

const rankOf = (route: Route): number => upwards.indexOf(new URL(route.request().url()).pathname)

/** Opens a page whose answers come one by one, each in a frame of its own: what stands lowest has its first. */
async function openUpwards(path: string, as: TestBrowser, viewport = viewports.phone): Promise<Page> {
  const page = await openPage({ viewport })
  const held: Route[] = []
  await page.route(/\/api\//u, (route) => void held.push(route))
  await page.addInitScript(watchMoves)
  await signInAs(page, staff.app, as)
  // What follows something that is late is shown after a while all the same: not here.
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Animation.enable')
  await page.goto(staff.app.url + path)
  await devTools.send('Animation.setPlaybackRate', { playbackRate: 0 })
  const answerOne = async (isDue: (route: Route) => boolean): Promise<boolean> => {
    const [next] = held.filter(isDue).toSorted((a, b) => rankOf(a) - rankOf(b))
    if (!next) return false
    held.splice(held.indexOf(next), 1)
    await next.continue()
    // None if the page has asked again meanwhile.
    await next.request().response()
    await nextFrame(page)
    return true
  }
  const isWhole = (): Promise<boolean> =>
    section(page, 'QR Code Management').getByRole('link', { name: 'Advanced Settings' }).isVisible()
  const heading = page.getByRole('heading', { level: 1 })
  const isAnswered = async (isDue: (route: Route) => boolean): Promise<boolean> => !(await answerOne(isDue))
  await expect
    .poll(async () => (await isAnswered((route) => rankOf(route) < 0)) && (await heading.isVisible()))
    .toBe(true)
  // What fonts move is not meant.
  await page.evaluate(async () => void (await document.fonts.ready))
  await nextFrame(page)
  await page.evaluate(() => void (window.moved = []))
  await expect.poll(async () => (await isAnswered(() => true)) && (await isWhole())).toBe(true)
  return page
}

const sizes = { phone: viewports.phone, desktop: viewports.desktop }

it.each(
  Object.entries(sizes).flatMap(([size, viewport]) =>
    [
      ['manager', '/management-dashboard'],
      ['owner', '/admin-dashboard'],
    ].map(([who, path]) => [who ?? '', path ?? '', size, viewport] as const),
  ),
)('nothing moves under the finger of a %s while %s loads on a %s', async (who, path, _, viewport) => {
  const as = demo[who]
  if (!as) throw new Error(who)
  const page = await openUpwards(path, as, viewport)
  await nextFrame(page)
  expect(await page.evaluate(() => window.moved)).toEqual([])
})

it('what stands below an answer that does not come is shown all the same', async () => {
  const page = await openPage({ viewport: viewports.phone })
  await page.route(/\/api\/analytics\?/u, () => undefined)
  if (demo['manager']) await signInAs(page, staff.app, demo['manager'])
  await page.goto(`${staff.app.url}/management-dashboard`)
  await section(page, 'On the floor').getByRole('listitem').first().waitFor()
  await section(page, 'When guests wait longest').getByRole('status', { name: 'Loading' }).waitFor()
})
