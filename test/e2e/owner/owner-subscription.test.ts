import { describe, expect, it } from 'vitest'
import { testCards } from '#contract/billing.ts'
import { subscribeInSandbox } from '../../support/stripe/sandbox-subscription.ts'
import { expectAccessible, text, typeCard } from '../pages/owner-pages.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { expectPageError } from '../support/browser.ts'
import {
  button,
  field,
  followLink,
  press,
  section,
  toast,
  waitForTitle,
  waitForToast,
  whenToastsLoad,
} from '../support/locators.ts'

const staff = setUpStaffApp()

describe('a subscription', () => {
  it('is cancelled, with Undo, resumed, and changed', async () => {
    const { owner } = await staff.app.restaurant()
    await subscribeInSandbox(staff.app, owner)
    const page = await staff.open('/dashboard', owner)
    await followLink(page, 'Manage Subscription')
    const plan = section(page, 'Premium Restaurant Plan')
    await plan.getByText('Monthly Plan, $100/month', { exact: true }).waitFor()
    await plan.getByText(/^Renews on \w+ \d+, \d{4}$/).waitFor()
    await expectAccessible(page, 'subscription')

    // Before its toast is gone.
    await press(page, 'Cancel Subscription')
    await press(toast(page), 'Undo')
    await waitForToast(page, 'Subscription resumed')
    await plan.getByText(/^Renews on /).waitFor()

    await press(page, 'Cancel Subscription')
    await waitForToast(page, 'Subscription cancelled')
    // A toast stays for as long as something points at it.
    await toast(page).hover()
    await plan.getByText(/^Ends on /).waitFor()
    await expectAccessible(page, 'cancelled')
    await press(page, 'Resume Subscription')
    await plan.getByText(/^Renews on /).waitFor()

    // The second press of a double click does not close what the first one has opened.
    await button(page, 'Switch to Yearly Plan').dblclick()
    await page.getByRole('dialog').getByText('You are charged $1,100/year now').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Switch to Yearly Plan' }).click()
    await waitForToast(page, 'You are on the Yearly Plan now')
    await plan.getByText('Yearly Plan, $1,100/year', { exact: true }).waitFor()
    await section(page, 'Yearly Plan').getByText('Your plan', { exact: true }).waitFor()
    // However many words stand beside the name of a plan, what it includes is read line by line.
    const topOf = async (name: string): Promise<number | undefined> =>
      (await section(page, name).getByRole('list').boundingBox())?.y
    await expect
      .poll(async () => {
        const [monthly = Number.NaN, yearly = Number.NaN] = [
          await topOf('Monthly Plan'),
          await topOf('Yearly Plan'),
        ]
        return yearly - monthly
      })
      .toBe(0)
    await press(page, 'Switch to Monthly Plan')
    await waitForToast(page, 'You change to the Monthly Plan when the year is over')
    await plan.getByText(/^Changes to the Monthly Plan on /).waitFor()
    await press(page, 'Keep Yearly Plan')
    await waitForToast(page, 'You keep the Yearly Plan')
    await plan.getByText(/^Renews on /).waitFor()
    await followLink(page, 'Dashboard')
    await text(page, '$1,100/year subscription').waitFor()
  })

  it('whose renewal failed continues, is marked everywhere, and is paid with another card', async () => {
    const { page } = await staff.openAsOwner('/subscribe')
    await press(page, 'Choose Monthly')
    await typeCard(page, testCards.ok)
    await field(page, 'Let every renewal fail').check()
    await press(page, 'Subscribe for $100/month')
    await waitForTitle(page, 'Welcome back')
    await followLink(page, 'Manage Subscription')
    await press(page, 'Go to the next renewal')
    const failed = 'Your last payment failed. Please update your card to keep your subscription.'
    await text(page, failed).waitFor()
    await section(page, 'Premium Restaurant Plan').getByText('Past due', { exact: true }).waitFor()
    await waitForTitle(page, 'Your Subscription')
    await expectAccessible(page, 'past-due')

    await followLink(page, 'Dashboard')
    await text(page, failed).waitFor()
    await followLink(page, 'Get Set Up')
    await section(page, 'Subscription Required').getByText(failed).waitFor()
    await text(page, 'You need an active subscription to generate a QR code.').waitFor()

    await followLink(page, 'Manage Subscription')
    await press(page, 'Billing Portal')
    await waitForTitle(page, 'Choose Your Plan')
    await section(page, 'Premium Restaurant Plan').getByText('Active', { exact: true }).waitFor()
  })

  it('shows what is true where a proxy gave up on the answer', async () => {
    const { owner } = await staff.app.restaurant()
    await subscribeInSandbox(staff.app, owner)
    const page = await staff.open('/subscribe', owner)
    expectPageError(page, /504.*\/api\/subscription\/(?:change-plan|cancel)/)
    await page.route(/\/api\/subscription\/(?:change-plan|cancel)$/u, async (route) => {
      await route.fetch()
      await route.fulfill({ status: 504, body: 'Gateway Timeout' })
    })
    await press(page, 'Switch to Yearly Plan')
    await page.getByRole('dialog').getByRole('button', { name: 'Switch to Yearly Plan' }).click()
    await waitForToast(page, 'You are on the Yearly Plan now')
    await section(page, 'Premium Restaurant Plan').getByText('Yearly Plan, $1,100/year').waitFor()
    await press(page, 'Cancel Subscription')
    await waitForToast(page, 'Subscription cancelled')
    await section(page, 'Premium Restaurant Plan')
      .getByText(/^Ends on /)
      .waitFor()
  })

  it('stays on the screen while the server is unavailable', async () => {
    const { owner } = await staff.app.restaurant()
    await subscribeInSandbox(staff.app, owner)
    const page = await staff.open('/subscribe', owner)
    await button(page, 'Cancel Subscription').waitFor()
    await whenToastsLoad(page)
    for (const gone of [/ERR_INTERNET_DISCONNECTED.*\/api\//, /\/api\/.*ERR_INTERNET_DISCONNECTED/])
      expectPageError(page, gone)
    await page.context().setOffline(true)
    await press(page, 'Cancel Subscription')
    await waitForToast(page, 'No connection to the server. Please check the network and try again.')
    await page.context().setOffline(false)
    await press(page, 'Cancel Subscription')
    await waitForToast(page, 'Subscription cancelled')
  })
})
