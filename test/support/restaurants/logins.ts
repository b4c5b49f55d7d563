import { api } from '#contract/api.ts'
import { signIn } from '../../../src/server/core/accounts/sessions/sessions.ts'
import { anonymousActor } from '../../../src/server/core/actor.ts'
import { write } from '../../../src/server/core/transaction.ts'
import * as owners from '../../../src/server/storage/accounts/owners.ts'
import type { TestApp, TestBrowser } from '../app.ts'

let addresses = 0
/** Attempts are counted by address, so each test uses its own addresses. */
export const uniqueAddress = (): string => `10.0.${Math.floor(++addresses / 250)}.${addresses % 250}`

export async function postFrom(browser: TestBrowser, path: string, body: object, address = uniqueAddress()) {
  const response = await browser.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    body: response.status === 204 ? null : await response.json(),
    headers: response.headers,
  }
}

export const currentGrants = async (browser: TestBrowser): Promise<string[]> => {
  const { status, body } = await browser.call(api.accounts.session, {})
  return status === 200 ? body.grants.toSorted() : []
}

/** A browser that signed in through OpenID Connect, as an owner without a password or restaurant. */
export async function signInNewOwner(app: TestApp): Promise<TestBrowser> {
  const [browser, id] = [app.browser(), app.ctx.newId()]
  const cookie = await write(app.ctx, async (tx) => {
    await owners.insert(tx.db, {
      id,
      restaurantId: null,
      email: 'new@example.com',
      passwordHash: null,
      oidcIssuer: 'https://issuer.example',
      oidcSubject: id,
      createdAt: app.now(),
    })
    return signIn(app.ctx, tx, anonymousActor(), null, [{ kind: 'owner', subjectId: id }])
  })
  browser.cookies.set('tsr', cookie)
  return browser
}
