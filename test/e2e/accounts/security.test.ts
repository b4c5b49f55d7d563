import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password } from '../../support/app.ts'
import { currentCode } from '../../support/restaurants/authenticator.ts'
import { currentGrants } from '../../support/restaurants/logins.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { expectPageError } from '../support/browser.ts'
import { button, section, field, lastingProblems, press, waitForTitle, toast } from '../support/locators.ts'
import { viewports, takeScreenshots } from '../support/screenshots.ts'

const staff = setUpStaffApp({ viewport: viewports.phone })

const minutes = 60_000

/** Whether the last veil is drawn over a dialog: of two in the same layer, the later one is. */
const isVeiled = (dialog: Locator): Promise<boolean> =>
  dialog.evaluate((popup) => {
    const veil = [...document.querySelectorAll('.bg-veil')].at(-1)
    if (!veil || !popup.parentElement) return false
    const layerOf = (element: Element): number => Number(getComputedStyle(element).zIndex)
    const isLater = (popup.compareDocumentPosition(veil) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
    return isLater && layerOf(veil) >= layerOf(popup.parentElement)
  })

describe('confirming the sign-in', () => {
  it('continues in the dialog where the change was started', async () => {
    const { owner } = await staff.app.restaurant()
    await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    const page = await staff.open('/admin-dashboard', owner)
    await waitForTitle(page, 'Admin Portal')
    await page.getByRole('button', { name: 'Maya Server' }).click()
    const member = page.getByRole('dialog', { name: 'Maya' })
    await member.getByLabel('PIN', { exact: true }).fill('4711')
    staff.app.advance(16 * minutes)
    expectPageError(page, /403.*crew/)
    await press(member, 'Save')
    const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await field(page, 'Admin Login password of owner@example.com').waitFor()
    // Otherwise the two look like one.
    await expect.poll(() => isVeiled(page.locator('[role=dialog]').first())).toBe(true)
    await page.keyboard.type(password)
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'confirm-over-dialog', ['phone', 'desktop'])
    await press(dialog, 'Confirm')
    await toast(page).getByText('Crew member updated').waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
  })
})

describe('browsers of the same name', () => {
  it('are told apart by when they signed in, and folded away below the first ones', async () => {
    const { name, owner } = await staff.app.restaurant()
    for (let browsers = 0; browsers < 3; browsers += 1) {
      staff.app.advance(2 * minutes)
      await staff.app.browser().ok(api.accounts.ownerLogin, { body: { username: name, password } })
      await staff.app.browser().ok(api.accounts.restaurantLogin, { body: { restaurantName: name, password } })
    }
    const page = await staff.open('/security', owner)
    const signIns = section(page, 'Your sign-ins')
    await signIns.getByText('signed in on').first().waitFor()
    await expect.poll(() => signIns.getByRole('listitem').count()).toBe(3)
    await press(signIns, 'Show all 4')
    await expect.poll(() => signIns.getByRole('listitem').count()).toBe(4)
    const devices = section(page, 'Signed-in devices')
    await press(devices, 'Show all 5')
    await expect.poll(() => devices.getByRole('listitem').count()).toBe(5)
    for (const card of [signIns, devices]) {
      const names = await card
        .getByRole('button', { name: /^Sign out (?!all)/u })
        .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label')))
      expect(names.length).toBeGreaterThan(2)
      expect(new Set(names).size).toBe(names.length)
    }
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'security-same-name', ['phone', 'desktop'], { fullPage: true })
  })
})

describe('an authenticator app', () => {
  it('is set up on the Security page, and asked for at Admin Login', async () => {
    const { name, owner } = await staff.app.restaurant()
    const otherBrowser = staff.app.browser()
    await otherBrowser.ok(api.accounts.ownerLogin, { body: { username: name, password } })
    const page = await staff.open('/security', owner)
    const authenticator = section(page, 'Authenticator app')
    await press(authenticator, 'Set up')
    const secret = (await authenticator.locator('code').textContent()) ?? ''
    const code = () => currentCode(secret.replaceAll(' ', ''), staff.app.now())
    expect(await lastingProblems(page)).toEqual([])
    await takeScreenshots(page, 'authenticator', ['phone', 'desktop'])
    await authenticator.getByLabel('6-digit code').fill('000')
    expectPageError(page, /400.*authenticator\/confirm/)
    await press(authenticator, 'Turn on')
    await authenticator.getByText('This code is wrong.').waitFor()
    await authenticator.getByLabel('6-digit code').fill(code())
    await press(authenticator, 'Turn on')
    await authenticator.getByText('It is on').waitFor()
    await takeScreenshots(page, 'authenticator-on', ['phone', 'desktop'])
    await press(authenticator, 'Sign out everywhere else')
    await toast(page).getByText('All others were signed out').waitFor()
    await button(authenticator, 'Sign out everywhere else').waitFor({ state: 'detached' })
    expect(await currentGrants(otherBrowser)).toEqual([])

    staff.app.advance(30_000)
    const login = await staff.open('/demo-login')
    await field(login, 'Username').fill(name)
    await field(login, 'Password').fill(password)
    expectPageError(login, /401.*demo-login/)
    await press(login, 'Sign In')
    await field(login, '6-digit code or recovery code').waitFor()
    expect(await lastingProblems(login)).toEqual([])
    await takeScreenshots(login, 'login-code', ['phone', 'desktop'])
    await login.keyboard.type(code())
    await login.keyboard.press('Enter')
    await waitForTitle(login, 'Admin Portal')
  })
})
