// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { create } from '../../../src/server/core/accounts/recovery/reset-link.ts'
import { setUpApp } from '../../support/app.ts'
import { fill, findTitle, openStaffApp, press } from '../../support/pages/staff-app.tsx'
import { currentCode } from '../../support/restaurants/authenticator.ts'

const app = setUpApp()

it('a link from the server removes the second factor, as the page says before and the notice and the log after', async () => {
  const { name, owner } = await app.restaurant()
  const { secret } = await owner.ok(api.secondFactors.beginAuthenticator, {})
  await owner.ok(api.secondFactors.turnAuthenticatorOn, { body: { code: currentCode(secret, app.now()) } })
  const made = await create(app.ctx, app.url, name)
  const link = made.kind === 'made' ? new URL(made.link) : null

  const browser = app.browser()
  openStaffApp(`${link?.pathname}${link?.hash}`, {}, browser)
  await findTitle('Reset Password')
  expect(screen.getByText(/^A link made on the server also turns off your authenticator app/)).toBeDefined()
  expect(screen.getByText('Managers have passwords of their own and stay signed in.')).toBeDefined()
  fill({ 'New Password': 'silver-kettle-7', 'Confirm New Password': 'silver-kettle-7' })
  press('button', 'Set New Password')
  await screen.findByText(/^Your password is changed/)

  await browser.ok(api.accounts.ownerLogin, { body: { username: name, password: 'silver-kettle-7' } })
  openStaffApp('/security', {}, browser)
  await screen.findByText(
    /with a link made on the server, which also turned off your authenticator app\. Not you\?/,
  )
  await screen.findByText(/^Turned an authenticator app off/)
})
