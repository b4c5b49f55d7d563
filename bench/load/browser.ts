import { randomBytes, randomUUID } from 'node:crypto'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from '../../test/e2e/support/find-browser.ts'
import { emptySqliteDatabase } from '../../test/support/database.ts'
import { startServer } from '../../test/support/servers/server-process.ts'
import { post } from './http-client.ts'

export const restaurantName = 'The Copper Pot'

export type Setup = { browser: Browser; url: string; password: string; ownerCookies: string[] }

/** Runs `task` with a browser and a server that has one restaurant. `root`: the folder of another version. */
export async function withBrowser(task: (setup: Setup) => Promise<void>, root?: string): Promise<void> {
  const database = await emptySqliteDatabase()
  const server = await startServer(database.url, {}, [], { root })
  const { path, env } = findBrowser()
  const browser = await chromium.launch({
    executablePath: path,
    env,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const password = randomBytes(12).toString('base64url')
    const signup = { restaurantName, email: 'owner@example.com', password }
    const { cookies } = await post(new URL('/api/restaurant-signup', server.url), {}, signup)
    await task({ browser, url: server.url, password, ownerCookies: cookies })
  } finally {
    await browser.close()
    await server.stop()
    await database.drop()
  }
}

type Viewport = { width: number; height: number }

/** The Crew Dashboard of a browser that the owner signed in. `prepare` runs before anything is loaded. */
export const openCrew = (
  setup: Setup,
  viewport: Viewport,
  prepare?: (page: Page) => Promise<void>,
): Promise<Page> => openAsOwner(setup, '/waiter', viewport, prepare)

/** The same of any page. */
export const openAsOwner = (
  setup: Setup,
  path: string,
  viewport: Viewport,
  prepare?: (page: Page) => Promise<void>,
): Promise<Page> => openSignedIn(setup, setup.ownerCookies, path, viewport, prepare)

/** A page of a device that the restaurant signed in. */
export async function openOnDevice(
  setup: Setup,
  path: string,
  viewport: Viewport,
  prepare?: (page: Page) => Promise<void>,
): Promise<Page> {
  const { url, password } = setup
  const { cookies } = await post(new URL('/api/restaurant-login', url), {}, { restaurantName, password })
  return openSignedIn(setup, cookies, path, viewport, prepare)
}

async function openSignedIn(
  { browser, url }: Setup,
  cookies: readonly string[],
  path: string,
  viewport: Viewport,
  prepare?: (page: Page) => Promise<void>,
): Promise<Page> {
  const context = await browser.newContext({ viewport, hasTouch: true })
  await context.addCookies(
    cookies.map((cookie) => {
      const [name = '', value = ''] = cookie.split('=')
      return { name, value, url }
    }),
  )
  const page = await context.newPage()
  await page.addInitScript((name) => sessionStorage.setItem('restaurantId', name), restaurantName)
  await prepare?.(page)
  await page.goto(url + path)
  return page
}

/** Sends requests, each from the next of the tables and for the next of the types; returns the table. */
export function createRequestSender(
  url: string,
  types: readonly string[],
  tables = Infinity,
): () => Promise<string> {
  let sent = 0
  return async () => {
    const tableNumber = String((sent % tables) + 1)
    sent++
    const body = {
      id: randomUUID(),
      restaurantId: restaurantName,
      tableNumber,
      serviceType: types[sent % types.length],
    }
    const { status, body: answer } = await post(new URL('/api/service-requests', url), {}, body)
    if (status !== 201) throw new Error(`${status} ${answer}`)
    return tableNumber
  }
}
