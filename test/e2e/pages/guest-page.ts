import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** While somebody listens, and while nobody does. */
const sentTitles = ['Request Sent!', 'Sent']
const menuTitle = 'What do you need?'

/** Does what leads to a step with one of these titles, however short the page shows it. */
export async function untilTitled(page: Page, titles: string[], act: () => unknown): Promise<void> {
  const watch = await page.evaluateHandle((titles) => {
    const seen = new Promise<void>((resolve) => {
      new MutationObserver((_, observer) => {
        if (!titles.includes(document.querySelector('h1')?.textContent ?? '')) return
        observer.disconnect()
        resolve()
      }).observe(document, { subtree: true, childList: true, characterData: true })
    })
    return { seen }
  }, titles)
  await act()
  await watch.evaluate(({ seen }) => seen)
}

/** Does what sends a request, until the page has confirmed it, which it shows for 3 seconds. */
export const untilSent = (page: Page, act: () => unknown): Promise<void> => untilTitled(page, sentTitles, act)

/** From a confirmation to the menu, where the page may have gone by itself meanwhile. */
export async function returnToMenu(page: Page): Promise<void> {
  const title = page.getByRole('heading', { name: menuTitle, exact: true })
  const another = page.getByRole('button', { name: 'Send Another Request', exact: true })
  // Which does nothing on a title.
  await another.or(title).press('Enter')
  await title.waitFor()
}

/** Asks by a button of the menu, and returns to it. By mouse: taps that follow each other count as double taps. */
export async function askByButton(page: Page, name: string): Promise<void> {
  await untilSent(page, () => page.getByRole('button', { name, exact: true }).click())
  await returnToMenu(page)
}

/** Keeps confirmations on the page until the guest leaves them. Call it before the page is opened. */
export async function keepConfirmations(page: Page): Promise<void> {
  await page.addInitScript((returnToMenuMs) => {
    const later = window.setTimeout.bind(window)
    Object.assign(window, {
      setTimeout: (task: () => void, ms?: number) => (ms === returnToMenuMs ? 0 : later(task, ms)),
    })
  }, 3000)
}

/** Waits until the device knows when the visit at this table began. */
export const whenVisitStarted = async (page: Page, restaurant: string, table: string): Promise<void> =>
  await expect
    .poll(() => page.evaluate((key) => localStorage.getItem(key), `session_${restaurant}_${table}`))
    .toMatch(/^\d+$/u)

/** Resolves when the server has told the page about its table over the live channel. Call it before opening the page. */
export const whenFollowing = (page: Page): Promise<void> =>
  new Promise((resolve) => {
    page.once('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (payload.toString().includes('"type":"ack"')) resolve()
      }),
    )
  })

/**
 * Refuses what a page without a script does by itself after 3 or 20 seconds, which is to open the menu. `refused`: it has
 * tried, and a page does so once.
 */
export async function refuseRefresh(page: Page): Promise<{ refused: Promise<void>; allow: () => void }> {
  const refused = Promise.withResolvers<void>()
  let isAllowed = false
  const isMenu = ({ pathname, searchParams }: URL): boolean =>
    pathname === '/customer' && searchParams.has('t') && !searchParams.has('sent')
  page.on('requestfailed', (request) => {
    if (isMenu(new URL(request.url()))) refused.resolve()
  })
  await page.route(isMenu, async (route) => {
    if (isAllowed || route.request().method() !== 'GET') await route.continue()
    else await route.abort('aborted')
  })
  return { refused: refused.promise, allow: () => (isAllowed = true) }
}
