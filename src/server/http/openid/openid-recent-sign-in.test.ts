import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import type { TestApp } from '../../../../test/support/app.ts'
import type { TestProvider } from '../../../../test/support/outside/openid-provider.ts'
import {
  beforeAllWithProvider,
  createAccount,
  signIn,
} from '../../../../test/support/restaurants/provider-logins.ts'

let provider: TestProvider
let app: TestApp
beforeAllWithProvider((started) => {
  ;({ app, provider } = started)
})

it('a sign-in with the provider allows what must be recent for 15 minutes, and again once it was repeated', async () => {
  const [browser, account] = [app.browser(), createAccount(provider)]
  await signIn(provider, browser, account)
  await browser.ok(api.accounts.setupRestaurant, { body: { restaurantName: `Kitchen of ${account}` } })
  const renew = () => browser.call(api.recovery.renewCodes, {})
  expect((await renew()).status).toBe(201)
  app.advance(14 * minuteMs)
  expect((await renew()).status).toBe(201)
  app.advance(minuteMs + 1)
  expect(await renew()).toMatchObject({ status: 403, body: { code: 'recent_sign_in_required' } })
  // Somebody else's sign-in at the provider proves nothing about this owner.
  const other = app.browser()
  await signIn(provider, other, createAccount(provider), '?confirm=1')
  expect((await renew()).status).toBe(403)
  await signIn(provider, browser, account, '?confirm=1')
  expect((await renew()).status).toBe(201)
})
