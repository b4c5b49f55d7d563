import { randomBytes, randomUUID } from 'node:crypto'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from '../../test/e2e/support/find-browser.ts'
import { emptySqliteDatabase } from '../../test/support/database.ts'
import { startServer } from '../../test/support/servers/server-process.ts'
import { post } from './http-client.ts'

export const restaurantName = 'The Copper Pot'

export type Setup = { browser: Browser; url: string; ownerCookies: string[] }

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
    const signup = {
      restaurantName,
      email: 'owner@example.com',
      password: randomBytes(12).toString('base64url'),
    }
    const { cookies } = await post(new URL('/api/restaurant-signup', server.url), {}, signup)
    await task({ browser, url: server.url, ownerCookies: cookies })
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
export async function openAsOwner(
  { browser, url, ownerCookies }: Setup,
  path: string,
  viewport: Viewport,
  prepare?: (page: Page) => Promise<void>,
): Promise<Page> {
  const context = await browser.newContext({ viewport, hasTouch: true })
  await context.addCookies(
    ownerCookies.map((cookie) => {
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

/** Sends requests, each from the next table and for the next of the types; returns the table. */
export function createRequestSender(url: string, types: readonly string[]): () => Promise<string> {
  let sent = 0
  return async () => {
    sent++
    const tableNumber = String(sent)
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
