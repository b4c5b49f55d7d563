import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { create } from '../../../src/server/core/accounts/recovery/reset-link.ts'
import { password } from '../../support/app.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { expectPageError } from '../support/browser.ts'
import {
  section,
  field,
  followLink,
  lastingProblems,
  pathOf,
  press,
  waitForTitle,
  toast,
  fillFields,
} from '../support/locators.ts'
import { viewports, takeScreenshots } from '../support/screenshots.ts'

const staff = setUpStaffApp({ viewport: viewports.phone })

it('lets an owner save recovery codes, forget the password, and recover with a code', async () => {
  const { name, owner, page } = await staff.openAsOwner('/portal-selection', { name: 'The Copper Pot' })
  await page.getByText('Save your recovery codes.').waitFor()
  await takeScreenshots(page, 'recovery-portals', ['phone', 'desktop'])
  await followLink(page, 'Save your recovery codes.')
  await waitForTitle(page, 'Security')
  const codesCard = section(page, 'Recovery Codes')
  await codesCard.getByText('You have none yet.').waitFor()
  await takeScreenshots(page, 'recovery-card', ['phone', 'desktop'])
  await press(codesCard, 'Show My Recovery Codes')
  const codes = codesCard.getByRole('list').getByRole('listitem')
  await codes.first().waitFor()
  await expect.poll(() => codes.count()).toBe(10)
  const [code = ''] = await codes.allTextContents()
  await takeScreenshots(page, 'recovery-codes', ['phone', 'desktop'])
  expect(await lastingProblems(page)).toEqual([])
  await page.emulateMedia({ media: 'print' })
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'hidden' })
  await expect.poll(() => page.getByText(code, { exact: true }).isVisible()).toBe(true)
  await page.emulateMedia({ media: 'screen' })
  await press(codesCard, 'I Saved Them')
  await codesCard.getByText(/^10 of 10 left, made on /u).waitFor()

  const forgetful = await staff.open('/restaurant-login')
  await waitForTitle(forgetful, 'Restaurant Login')
  await takeScreenshots(forgetful, 'recovery-login', ['phone'])
  await followLink(forgetful, 'Forgot password?')
  await waitForTitle(forgetful, 'Forgot Password')
  await takeScreenshots(forgetful, 'recovery-forgot', ['phone', 'desktop'])
  expect(await lastingProblems(forgetful)).toEqual([])
  expectPageError(forgetful, /401.*\/api\/forgot-password/)
  const given = { 'New Password': 'silver-kettle-7', 'Confirm New Password': 'silver-kettle-7' }
  await fillFields(forgetful, { 'Restaurant Name or Email': name, 'Recovery Code': 'AAAA', ...given })
  await press(forgetful, 'Set New Password')
  await toast(forgetful).getByText('This recovery code does not fit, or was used already').waitFor()
  await takeScreenshots(forgetful, 'recovery-forgot-wrong', ['phone'])
  await field(forgetful, 'Recovery Code').fill(code.toLowerCase().replaceAll('-', ' '))
  await press(forgetful, 'Set New Password')
  await waitForTitle(forgetful, 'Admin Login')
  await fillFields(forgetful, { Username: name, Password: 'silver-kettle-7' })
  await press(forgetful, 'Sign In')
  await waitForTitle(forgetful, 'Admin Portal')
  await forgetful.getByText(/^Your password was reset on .+ with a recovery code\. Not you\?/u).waitFor()
  await takeScreenshots(forgetful, 'recovery-told', ['phone', 'desktop'])
  await press(forgetful, 'Got it')
  await forgetful.getByText(/Your password was reset/u).waitFor({ state: 'detached' })
  expect((await owner.call(api.accounts.session, {})).status).toBe(401)
})

it('sets a new password with a link created on the server, which leaves no trace in the address bar', async () => {
  const { name } = await staff.app.restaurant()
  const created = await create(staff.app.ctx, staff.app.url, name)
  if (created.kind !== 'made') throw new Error(created.kind)
  const page = await staff.open(created.link.slice(staff.app.url.length))
  await waitForTitle(page, 'Reset Password')
  await page.waitForURL(`${staff.app.url}/reset-password`)
  await expect.poll(() => page.evaluate(() => history.length)).toBe(2)
  const response = await page.request.get(`${staff.app.url}/reset-password`, {
    headers: { accept: 'text/html' },
  })
  expect(response.headers()['referrer-policy']).toBe('no-referrer')
  await takeScreenshots(page, 'recovery-link', ['phone', 'desktop'])
  expect(await lastingProblems(page)).toEqual([])
  await fillFields(page, { 'New Password': 'silver-kettle-7', 'Confirm New Password': 'silver-kettle-8' })
  await press(page, 'Set New Password')
  await toast(page).getByText('Passwords do not match').waitFor()
  await field(page, 'Confirm New Password').fill('silver-kettle-7')
  await press(page, 'Set New Password')
  await waitForTitle(page, 'Admin Login')
  await expect.poll(() => pathOf(page)).toBe('/demo-login')
  const owner = staff.app.browser()
  await owner.ok(api.accounts.ownerLogin, { body: { username: name, password: 'silver-kettle-7' } })

  await page.goto(created.link)
  expectPageError(page, /401.*\/api\/reset-password/)
  await fillFields(page, { 'New Password': password, 'Confirm New Password': password })
  await press(page, 'Set New Password')
  await toast(page)
    .getByText('This link is too old, or was used already. Please ask for a new one.')
    .waitFor()
})
