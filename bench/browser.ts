import { randomBytes } from 'node:crypto'
import { type Browser, chromium } from 'playwright-core'
import { findBrowser } from '../test/e2e/support/find-browser.ts'
import { emptySqliteDatabase } from '../test/support/database.ts'
import { startServer } from '../test/support/server-process.ts'
import { post } from './http-client.ts'

export const restaurantName = 'The Copper Pot'

type Setup = { browser: Browser; url: string; ownerCookies: string[] }

/** Runs `task` with a browser and a server that has one restaurant. */
export async function withBrowser(task: (setup: Setup) => Promise<void>): Promise<void> {
  const database = await emptySqliteDatabase()
  const server = await startServer(database.url, { GUEST_LIMITS: 'off' })
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
