import { api } from '#contract/api.ts'
import { password, TestBrowser } from '../app.ts'
import { type Said, tableside } from './command-line.ts'
import { type ServerProcess, startServer } from './server-process.ts'

export const resetPassword = (databaseUrl: string, named: string): Promise<Said> =>
  tableside(['reset-password', ...named.split(' ')], { DATABASE_URL: databaseUrl })

/** A server, and whoever opens it. */
export async function startForReset(
  databaseUrl: string,
): Promise<{ server: ServerProcess; browser: () => TestBrowser }> {
  const server = await startServer(databaseUrl)
  return { server, browser: () => new TestBrowser(() => server.url) }
}

/** The same owner has every restaurant. */
export const signUpOwner = (browser: TestBrowser, restaurantName: string) =>
  browser.ok(api.accounts.signUp, {
    body: { restaurantName, email: 'owner@example.com', password, timeZone: 'UTC' },
  })

export const resetLinkIn = ({ out }: Said): string =>
  /^http\S+\/reset-password#[\w-]{32}$/mu.exec(out)?.[0] ?? ''

/** Follows the link on the running server, and signs in with the new password. */
export async function followResetLink(said: Said, browser: TestBrowser, newPassword: string): Promise<void> {
  const token = resetLinkIn(said).split('#')[1] ?? ''
  await browser.ok(api.recovery.byLink, { body: { token, password: newPassword } })
  await browser.ok(api.accounts.ownerLogin, { body: { username: 'Blue Door', password: newPassword } })
}
