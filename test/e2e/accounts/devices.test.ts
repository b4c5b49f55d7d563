import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password } from '../../support/app.ts'
import { pixelsOfPng, readCode } from '../../support/reading/qr-reader.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { expectPageError } from '../support/browser.ts'
import {
  button,
  section,
  field,
  followLink,
  lastingProblems,
  pathOf,
  press,
  waitForTitle,
  toast,
} from '../support/locators.ts'
import { viewports, takeScreenshots } from '../support/screenshots.ts'

const staff = setUpStaffApp({ viewport: viewports.desktop })

it('signs a tablet in with the digits on the owner’s screen, and out again from there', async () => {
  const { name, page } = await staff.openAsOwner('/security', { name: 'The Copper Pot' })
  const devices = section(page, 'Signed-in devices')
  await press(devices, 'Sign in a tablet or phone')
  const code = section(page, 'Sign in a device')
  const digits = (await code.getByText(/^\d{6}$/u).innerText()).replaceAll(/\D/gu, '')
  expect(await lastingProblems(page)).toEqual([])
  await takeScreenshots(page, 'security-device-code', ['phone', 'desktop'])

  const tablet = await staff.open('/restaurant-login')
  await followLink(tablet, 'Sign in with a code')
  await waitForTitle(tablet, 'Sign in this device')
  await field(tablet, 'Restaurant Name').fill(name)
  await field(tablet, 'Six digits').fill(digits)
  await field(tablet, 'Name of this device (optional)').fill('Kitchen tablet')
  await takeScreenshots(tablet, 'device-digits', ['phone', 'desktop'])
  await press(tablet, 'Sign in this device')
  await waitForTitle(tablet, 'Crew Dashboard')

  await section(page, 'Signed in').getByText('Kitchen tablet is signed in.').waitFor()
  await takeScreenshots(page, 'security-device-used', ['phone', 'desktop'])
  await press(page, 'Done')
  await press(devices, 'Sign out Kitchen tablet')
  const question = page.getByRole('dialog', { name: 'Sign out Kitchen tablet?' })
  await question.waitFor()
  await press(question, 'Sign out this device')
  // Each is gone after a moment.
  await Promise.all([
    toast(page).getByText('Kitchen tablet was signed out').waitFor(),
    toast(tablet).getByText('Please log in to access this page.').waitFor(),
  ])
  await waitForTitle(tablet, 'Restaurant Login')
  await expect.poll(() => button(devices, 'Sign out Kitchen tablet').count()).toBe(0)
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Sign out')
})

it('signs a phone in that scans the code, naming the restaurant first', async () => {
  const { name, page } = await staff.openAsOwner('/security', { name: 'Blue Door' })
  await press(page, 'Sign in a tablet or phone')
  const picture = page.getByRole('img', { name: 'Code to scan with the tablet or phone' })
  const link = await readCode(pixelsOfPng((await picture.getAttribute('src')) ?? ''))

  const phone = await staff.open(link.replace(/^https?:\/\/[^/]+/u, ''))
  await phone.setViewportSize(viewports.phone)
  await waitForTitle(phone, 'Sign in this device')
  await phone.getByText(`requests of ${name}`).waitFor()
  await expect.poll(() => phone.url()).not.toContain('#')
  expect(await lastingProblems(phone)).toEqual([])
  await takeScreenshots(phone, 'device-link', ['phone', 'desktop'])
  await press(phone, 'Sign in this device')
  await waitForTitle(phone, 'Crew Dashboard')
  await expect.poll(() => pathOf(phone)).toBe('/waiter')

  const again = await staff.open(link.replace(/^https?:\/\/[^/]+/u, ''))
  expectPageError(again, /404.*device-link/)
  await again.getByText('This code was used already').waitFor()
  await press(again, 'Type the digits')
  await field(again, 'Six digits').waitFor()
})

it('the Security page lists sign-ins, and sets a staff password', async () => {
  const { name, owner } = await staff.app.restaurant({ name: 'Harbour Kitchen' })
  const other = staff.app.browser()
  await other.ok(api.accounts.ownerLogin, { body: { username: name, password } })
  const page = await staff.open('/security', owner)
  const word = page.getByRole('textbox', { name: 'Staff password', exact: true })
  await word.waitFor()
  await button(page, 'Sign out all others').waitFor()
  await takeScreenshots(page, 'security', ['phone', 'desktop'])
  await word.fill('brass-ladle-7')
  await press(page, 'Set staff password')
  await toast(page).getByText('Staff password set').waitFor()
  await button(page, 'Remove staff password').waitFor()
  await press(section(page, 'Your sign-ins'), 'Sign out all others')
  await toast(page).getByText('All others were signed out').waitFor()
  expect(await lastingProblems(page)).toEqual([])
  await takeScreenshots(page, 'security-set', ['phone', 'desktop'])
})
