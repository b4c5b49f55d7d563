import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, type TestApp, startTestApp } from '../../support/app.ts'
import { type HttpReceiver, startHttpReceiver } from '../../support/outside/http-receiver.ts'
import { type MailServer, startMailServer } from '../../support/outside/mail-server.ts'
import { signInToRestaurant } from '../pages/sign-in.ts'
import { openPage } from '../support/browser.ts'
import {
  lastingProblems,
  button,
  field,
  fillFields,
  followLink,
  press,
  section,
  toast,
  waitForTitle,
  waitForToast,
  whenToastsLoad,
} from '../support/locators.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'
import { stopTime } from '../support/time.ts'
import { coveredControls } from '../support/toasts.ts'

let app: TestApp
let mails: MailServer
let web: HttpReceiver
beforeAll(async () => {
  mails = await startMailServer()
  web = await startHttpReceiver()
  app = await startTestApp({ mail: mails.mail, outboundAllow: ['127.0.0.1'] })
})
afterAll(async () => {
  await app.stop()
  await web.stop()
  await mails.stop()
})

const lastText = (): string => mails.received.at(-1)?.text ?? ''

it('an owner chooses who is told if nobody answers, and is let back in by the same mail server', async () => {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const page = await openPage({ viewport: viewports.phone, tolerate: [/\/api\//] })
  await signInToRestaurant(page, app, restaurant, restaurant.owner)
  await page.goto(`${app.url}/admin-dashboard/alerts`)
  const card = section(page, 'If nobody answers')
  await card.getByLabel('Tell somebody outside').selectOption('1 minute after the manager')
  await press(card, 'Save Delay')
  await card.getByText('Nobody outside is told yet: add an address.').waitFor()

  await card.getByLabel('Email Address').fill('me@example.com')
  await press(card, 'Add Address')
  await waitForToast(page, 'A code is on its way to this address')
  await press(toast(page), 'Dismiss')
  await toast(page).waitFor({ state: 'detached' })
  await expect.poll(() => mails.received.length).toBe(1)
  await card.getByLabel('Code from the Email').fill(/\d{6}/u.exec(lastText())?.[0] ?? '')
  // Elsewhere the bar at the upper edge may cover the half of a button, which axe takes for a small one.
  await page.evaluate(() => scrollTo(0, 0))
  expect(await lastingProblems(page)).toEqual([])
  await card.scrollIntoViewIfNeeded()
  await takeScreenshots(page, 'outside-alerts-code', ['phone', 'desktop'])
  await press(card, 'Confirm Address')
  await card.getByLabel('Weekly report, on Mondays').click()
  await expect.poll(() => card.getByLabel('Weekly report, on Mondays').isChecked()).toBe(true)

  await card.getByLabel('Add', { exact: true }).selectOption('Webhook')
  await card.getByLabel('Web Address').fill(`${web.url}/hook`)
  await press(card, 'Add Address')
  await card.getByText(/^whsec_/u).waitFor()
  web.answer = 500
  await press(card, `Send a test to ${web.url}/hook`)
  await card.getByText('It answered 500').waitFor()
  await press(card, 'Send a test to me@example.com')
  await card.getByText(/^Arrived/u).waitFor()
  await expect.poll(lastText).toContain('This is a test.')
  await press(card, "Send last week's report now to me@example.com")
  await expect.poll(lastText).toContain('/management-dashboard/report')
  expect(await lastingProblems(page)).toEqual([])
  await takeScreenshots(page, 'outside-alerts', ['phone', 'desktop'])

  await page.goto(`${app.url}/forgot-password`)
  await page.getByLabel('Restaurant Name or Email').fill(restaurant.name)
  await takeScreenshots(page, 'forgot-password-mail', ['phone', 'desktop'])
  await press(page, 'Email Me a Link')
  await page.getByText('If there is such an account').waitFor()
  expect(await lastingProblems(page)).toEqual([])
  await expect.poll(lastText).toContain('/reset-password#')
  await page.goto(/http\S+/u.exec(lastText())?.[0] ?? '')
  await page.getByLabel('New Password', { exact: true }).fill('silver-kettle-7')
  await page.getByLabel('Confirm New Password').fill('silver-kettle-7')
  await press(page, 'Set New Password')
  await page.waitForURL('**/demo-login')
  await waitForTitle(page, 'Admin Login')
})

it('the weekly report’s links lead a manager to the report, and say what only the owner may change', async () => {
  const restaurant = await app.restaurant({ tables: ['7'] })
  const manager = { username: 'sam', password: 'lantern-7' }
  const { owner } = restaurant
  await owner.ok(api.managers.setCredentials, { body: { ...manager, meant: 'new' } })
  const { channel } = await owner.ok(api.outsideAlerts.addChannel, {
    body: { kind: 'email', address: 'sam@example.com' },
  })
  await owner.ok(api.outsideAlerts.confirmChannel, {
    params: { id: channel.id },
    body: { code: /\b\d{6}\b/u.exec(lastText())?.[0] ?? '' },
  })
  await owner.ok(api.outsideAlerts.changeChannel, {
    params: { id: channel.id },
    body: { weeklyReport: true },
  })
  await owner.ok(api.outsideAlerts.sendReport, { params: { id: channel.id } })
  const links = lastText().match(/http\S+/gu) ?? []
  expect(links.map((link) => new URL(link).pathname)).toEqual([
    '/management-dashboard/report',
    '/admin-dashboard/alerts',
  ])

  const page = await openPage({ viewport: viewports.phone, tolerate: [/\/api\//] })
  await signInToRestaurant(page, app, restaurant)
  await page.goto(links[0] ?? '')
  await waitForToast(page, 'Please log in to access management portal')
  await waitForTitle(page, 'Management Login')
  await field(page, 'Username').fill(manager.username)
  await field(page, 'Password').fill(manager.password)
  await press(page, 'Sign In')
  await page.getByRole('heading', { name: 'Weekly report' }).waitFor()

  await page.goto(links[1] ?? '')
  await waitForTitle(page, 'Only for the Owner')
  await page.getByText('You are signed in as the manager sam.').waitFor()
  expect(await lastingProblems(page)).toEqual([])
  await followLink(page, 'Back to the Management Portal')
  await waitForTitle(page, 'Management Portal')
})

it('the weekly report’s link leads a manager to it on a phone that is not signed in to the restaurant either', async () => {
  const restaurant = await app.restaurant()
  const manager = { username: 'sam', password: 'lantern-7' }
  await restaurant.owner.ok(api.managers.setCredentials, { body: { ...manager, meant: 'new' } })
  const page = await openPage({ viewport: viewports.phone, tolerate: [/\/api\//] })
  await page.goto(`${app.url}/management-dashboard/report`)
  await waitForTitle(page, 'Management Login')
  await page
    .getByText('Please sign in to your restaurant first: this browser does not know which one is yours.')
    .waitFor()
  expect(await lastingProblems(page)).toEqual([])
  await takeScreenshot(page, 'management-login-elsewhere')
  await followLink(page, 'Restaurant Login')
  await waitForTitle(page, 'Restaurant Login')
  // There and back: a device's code signs in to the restaurant, too.
  await followLink(page, 'Sign in with a code')
  await waitForTitle(page, 'Sign in this device')
  await followLink(page, 'Back')
  await waitForTitle(page, 'Restaurant Login')
  await fillFields(page, { 'Restaurant Name': restaurant.name, Password: password })
  await field(page, 'I am not a robot').check()
  await press(page, 'Sign In')
  await waitForTitle(page, 'Management Login')
  await fillFields(page, { Username: manager.username, Password: manager.password })
  await press(page, 'Sign In')
  await page.getByRole('heading', { name: 'Weekly report' }).waitFor()
})

it('a toast does not lie over what was pressed, wherever that is on the screen', async () => {
  const restaurant = await app.restaurant()
  const page = await openPage({ viewport: viewports.phone, reducedMotion: 'reduce', tolerate: [/\/api\//] })
  await signInToRestaurant(page, app, restaurant, restaurant.owner)
  await page.clock.install()
  await page.goto(`${app.url}/admin-dashboard/alerts`)
  const card = section(page, 'If nobody answers')
  await card.getByLabel('Add', { exact: true }).selectOption('Webhook')
  await card.getByLabel('Web Address').fill('https://192.168.1.4/hook')
  await whenToastsLoad(page)
  await stopTime(page)
  const presses = { 'Save Delay': /^Alerts saved/u, 'Add Address': /^Only https addresses/u }
  const sizes = { ...viewports, small: { width: 320, height: 640 }, onItsSide: { width: 844, height: 390 } }
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport)
    for (const [name, answer] of Object.entries(presses))
      for (const block of ['start', 'end'] as const) {
        await button(card, name).evaluate((control, to) => control.scrollIntoView({ block: to }), block)
        await press(card, name)
        await toast(page).getByText(answer).waitFor()
        await page.clock.runFor(300)
        await takeScreenshot(page, `outside-alerts-${name}-${block}-${size}`)
        expect(await coveredControls(page), `${name} at the ${block}, ${size}`).not.toContain(name)
        await press(toast(page), 'Dismiss')
        await page.clock.runFor(1_000)
        await toast(page).waitFor({ state: 'detached' })
      }
  }
})

it('a webhook’s secret goes from every tab with the webhook', async () => {
  const restaurant = await app.restaurant()
  const first = await openPage({ viewport: viewports.phone, tolerate: [/\/api\//] })
  await signInToRestaurant(first, app, restaurant, restaurant.owner)
  const second = await first.context().newPage()
  const card = async (page: Page): Promise<Locator> => {
    await page.goto(`${app.url}/admin-dashboard/alerts`)
    return section(page, 'If nobody answers')
  }
  const [here, there] = [await card(first), await card(second)]
  await here.getByLabel('Add', { exact: true }).selectOption('Webhook')
  await here.getByLabel('Web Address').fill(`${web.url}/hook`)
  await press(here, 'Add Address')
  const secret = here.getByText(/^whsec_/u)
  await secret.waitFor()
  await press(there, `Remove ${web.url}/hook`)
  await press(second.getByRole('dialog', { name: 'Remove this address?' }), 'Remove')
  await secret.waitFor({ state: 'detached' })
})
