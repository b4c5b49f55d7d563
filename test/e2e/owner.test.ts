import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { testCards } from '#contract/billing.ts'
import { password, startTestApp, type TestApp, type TestBrowser } from '../support/app.ts'
import { createStripeRig, type StripeBillingRig } from '../support/billing-rigs.ts'
import { errorCorrectionLevel, pixelsOfPng, readCode, readCodes, smallPng } from '../support/qr-reader.ts'
import { overflowingElements } from './support/accessibility.ts'
import { expectPageError, openPage } from './support/browser.ts'
import {
  button,
  section,
  field,
  followLink,
  accessibilityProblems,
  pathOf,
  press,
  waitForTitle,
  toast,
} from './support/locators.ts'
import { printPage } from './support/printing.ts'
import { viewports, takeScreenshots } from './support/screenshots.ts'
import { serveFakeStripeJs } from './support/fake-stripe-js.ts'

let app: TestApp

beforeAll(async () => {
  app = await startTestApp()
  // From now on links carry the port that the server was given.
  await app.restart()
})
afterAll(() => app.stop())

/** A new tab at one of our pages; `as` has signed in before. */
async function at(path: string, as?: TestBrowser, on = app): Promise<Page> {
  const page = await openPage({
    viewport: viewports.tablet,
    tolerate: [/\/api\/auth\/user\)/, /404.*\/api\/qr-codes\/me/],
  })
  if (as) {
    await page.context().addCookies([...as.cookies].map(([name, value]) => ({ name, value, url: on.url })))
  }
  await page.goto(on.url + path)
  return page
}

const text = (page: Page, words: string): Locator => page.getByText(words, { exact: true })
const toasted = async (page: Page, ...words: string[]): Promise<void> => {
  for (const word of words) await toast(page).getByText(word, { exact: true }).waitFor()
}
const textsOf = async (place: Locator): Promise<string[]> => await place.allTextContents()

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await field(page, label).fill(value)
}

const typeCard = async (page: Page, number: string | null): Promise<void> =>
  await fill(page, { 'Card number': number ?? '', Expiry: '12/34', CVC: '123' })

/** Everybody can use the screen as it stands, and its pictures are taken. */
async function isFine(page: Page, picture: string): Promise<void> {
  expect(await accessibilityProblems(page), `${picture} is for everybody`).toEqual([])
  await takeScreenshots(page, `owner-${picture}`)
}

/** Subscribed without the screens. */
async function subscribed(owner: TestBrowser, testCard: 'ok' | 'renew_fails' = 'ok'): Promise<void> {
  const setup = await owner.ok(api.billing.create, { body: { planType: 'monthly' } })
  const setupIntentId = setup.clientSecret.split('_secret_')[0] ?? ''
  await owner.ok(api.billing.confirmSandboxSetup, {
    params: { id: setupIntentId },
    body: { clientSecret: setup.clientSecret, testCard },
  })
  await owner.ok(api.billing.confirm, { body: { setupIntentId, priceId: setup.priceId } })
  await app.whenIdle()
}

const statusOf = async (owner: TestBrowser): Promise<string | null> =>
  (await owner.ok(api.billing.subscription, {})).status

async function pictureOf(page: Page, name: string): Promise<string> {
  return (await page.getByRole('img', { name, exact: true }).getAttribute('src')) ?? ''
}

describe('a new restaurant', () => {
  it('signs up, subscribes, and gets its QR code', async () => {
    const page = await at('/restaurant-signup')
    await fill(page, {
      'Restaurant Name': 'Café Ünal',
      Email: 'owner@cafe.example',
      Password: password,
      'Confirm Password': password,
    })
    await field(page, 'I am not a robot').check()
    await press(page, 'Create Account')
    await waitForTitle(page, 'Select Portal')

    await page.goto(`${app.url}/dashboard`)
    await waitForTitle(page, 'Welcome back')
    await text(page, 'Café Ünal').waitFor()
    await text(page, 'owner@cafe.example').waitFor()
    const status = section(page, 'Subscription Status')
    await status.getByText('Inactive', { exact: true }).waitFor()
    await status.getByText('Subscribe to access QR code features', { exact: true }).waitFor()

    await followLink(page, 'Get Set Up')
    await waitForTitle(page, 'Get Set Up')
    await section(page, 'Subscription Required').waitFor()
    await text(page, 'No QR Code Yet').waitFor()
    expectPageError(page, /402.*\/api\/qr-codes/)
    await press(page, 'Generate QR Code')
    await toasted(page, 'Error', 'Subscription Required')

    await followLink(page, 'Subscribe for $100/month')
    await waitForTitle(page, 'Choose Your Plan')
    await text(page, 'SANDBOX - no real charges').waitFor()
    expect(await textsOf(section(page, 'Monthly Plan').getByRole('listitem'))).toEqual([
      'Unlimited QR code access',
      'Real-time service requests',
      'Crew dashboard access',
      'Management portal',
      'Analytics dashboard',
      'Cancel anytime',
    ])
    expect(await textsOf(section(page, 'Yearly Plan').getByRole('listitem'))).toEqual([
      'Unlimited QR code access',
      'Real-time service requests',
      'Crew dashboard access',
      'Management portal',
      'Analytics dashboard',
      '1 month free',
    ])
    await section(page, 'Monthly Plan').getByText('$100/month', { exact: true }).waitFor()
    await section(page, 'Yearly Plan').getByText('$1,100/year', { exact: true }).waitFor()
    await section(page, 'Yearly Plan').getByText('about $91.67/month').waitFor()
    await section(page, 'Yearly Plan').getByText('1 Month Free', { exact: true }).waitFor()

    await press(page, 'Choose Yearly')
    await section(page, 'Yearly Subscription')
      .getByText('$1,100/year - 1 Month Free', { exact: true })
      .waitFor()
    await button(page, 'Subscribe for $1,100/year').waitFor()
    await press(page, 'Back to Plans')
    await press(page, 'Choose Monthly')
    await section(page, 'Monthly Subscription')
      .getByText('$100/month - Cancel anytime', { exact: true })
      .waitFor()
    await typeCard(page, testCards.ok)
    await press(page, 'Subscribe for $100/month')
    await toasted(page, 'Success! Your subscription is now active.')
    await waitForTitle(page, 'Welcome back')
    expect(pathOf(page)).toBe('/dashboard')
    await status.getByText('Active', { exact: true }).waitFor()
    await status.getByText('$100/month subscription', { exact: true }).waitFor()

    await followLink(page, 'Get Set Up')
    await text(page, 'No QR Code Yet').waitFor()
    expect(await section(page, 'Subscription Required').count()).toBe(0)
    const posted = page.waitForRequest((request) => request.method() === 'POST')
    await press(page, 'Generate QR Code')
    await toasted(page, 'Success', 'QR code generated successfully')
    const { restaurantId, qrCodeDataUrl } = (await posted).postDataJSON()
    expect(restaurantId).toBe('Café Ünal')
    const drawn = pixelsOfPng(qrCodeDataUrl)
    expect([drawn.width, await errorCorrectionLevel(drawn)]).toEqual([300, 'M'])
    expect(await readCode(drawn)).toBe(`${app.url}/customer?r=Caf%C3%A9+%C3%9Cnal`)

    const picture = await pictureOf(page, 'QR code of Café Ünal')
    const link = await readCode(pixelsOfPng(picture))
    expect(link).toMatch(/\/customer\?r=Caf%C3%A9\+%C3%9Cnal&k=1\.[\w-]{22}$/)

    const saving = page.waitForEvent('download')
    await press(page, 'Download QR Code')
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('Café Ünal-qr-code.png')
    const file = await readFile(await saved.path())
    expect(`data:image/png;base64,${file.toString('base64')}`).toBe(picture)

    await page.goto(link)
    await waitForTitle(page, 'Welcome!')
  })

  it('has screens for everybody before it subscribes', async () => {
    const { owner } = await app.restaurant()
    const page = await at('/dashboard', owner)
    await text(page, 'Inactive').waitFor()
    await isFine(page, 'home-inactive')
    await page.goto(`${app.url}/admin`)
    await text(page, 'No QR Code Yet').waitFor()
    await isFine(page, 'set-up-unpaid')
    await page.goto(`${app.url}/subscribe`)
    await button(page, 'Choose Monthly').waitFor()
    await isFine(page, 'plans')
    await press(page, 'Choose Monthly')
    await button(page, 'Subscribe for $100/month').waitFor()
    await isFine(page, 'payment')
  })

  it('has screens for everybody once it has subscribed', async () => {
    const { owner, name } = await app.restaurant()
    await subscribed(owner)
    await owner.ok(api.qr.generate, { body: { restaurantId: name, qrCodeDataUrl: smallPng } })
    const page = await at('/dashboard', owner)
    await text(page, '$100/month subscription').waitFor()
    await isFine(page, 'home-active')
    await page.goto(`${app.url}/admin`)
    await button(page, 'Regenerate').waitFor()
    await isFine(page, 'set-up-code')
  })

  it('has a name of 80 letters without a gap, and every screen keeps it in sight', async () => {
    const name = 'W'.repeat(80)
    const { owner } = await app.restaurant({ name })
    const page = await at('/dashboard', owner)
    for (const [path, screen] of [
      ['/dashboard', 'Welcome back'],
      ['/admin', 'Get Set Up'],
      ['/portal-selection', 'Select Portal'],
      ['/demo-login', 'Admin Login'],
    ] as const) {
      await page.goto(app.url + path)
      await waitForTitle(page, screen)
      await page.getByText(name).waitFor()
      const sideways = [...(await overflowingElements(page)), ...(await overflowingElements(page, 1024))]
      expect(sideways, `sideways on ${path}`).toEqual([])
    }
  })

  it('has a file name that every system takes', async () => {
    const { owner, name } = await app.restaurant({ name: 'Pot / Pan: "Best?"' })
    await subscribed(owner)
    await owner.ok(api.qr.generate, { body: { restaurantId: name, qrCodeDataUrl: smallPng } })
    const page = await at('/admin', owner)
    const saving = page.waitForEvent('download')
    await press(page, 'Download QR Code')
    expect((await saving).suggestedFilename()).toBe('Pot - Pan- -Best---qr-code.png')
  })

  it('can do all of it with the keyboard', async () => {
    const { owner } = await app.restaurant()
    const page = await at('/dashboard', owner)
    await waitForTitle(page, 'Welcome back')
    const tabTo = async (role: 'link' | 'textbox' | 'button', name: string): Promise<void> => {
      const focused = page.getByRole(role, { name, exact: true }).and(page.locator(':focus'))
      for (let presses = 0; presses < 15 && (await focused.count()) === 0; presses += 1)
        await page.keyboard.press('Tab')
      expect(await focused.count(), `${role} ${name}`).toBe(1)
    }
    await tabTo('link', 'Subscribe Now')
    await page.keyboard.press('Enter')
    await waitForTitle(page, 'Choose Your Plan')
    await button(page, 'Choose Monthly').waitFor()
    await tabTo('button', 'Choose Monthly')
    await page.keyboard.press('Enter')
    await section(page, 'Monthly Subscription').waitFor()
    await tabTo('button', 'Back to Plans')
    await page.keyboard.press('Space')
    await tabTo('button', 'Choose Yearly')
    await page.keyboard.press('Enter')
    await section(page, 'Yearly Subscription').waitFor()
    await tabTo('textbox', 'Card number')
    await page.keyboard.type('4000002500003155')
    await tabTo('textbox', 'Expiry')
    await page.keyboard.type('1234')
    await tabTo('textbox', 'CVC')
    await page.keyboard.type('123')
    expect(await field(page, 'Card number').inputValue()).toBe('4000 0025 0000 3155')
    expect(await field(page, 'Expiry').inputValue()).toBe('12/34')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo('button', 'Approve')
    await page.keyboard.press('Enter')
    await waitForTitle(page, 'Welcome back')
    await tabTo('link', 'Get Set Up')
    await page.keyboard.press('Enter')
    await button(page, 'Generate QR Code').waitFor()
    await tabTo('button', 'Generate QR Code')
    await page.keyboard.press('Enter')
    await button(page, 'Regenerate').waitFor()
    await tabTo('button', 'Regenerate')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await button(page, 'Download QR Code').waitFor()
  })

  it('goes on with the keyboard where it was, also when the pressed button is gone', async () => {
    const { owner } = await app.restaurant()
    await subscribed(owner)
    const page = await at('/subscribe', owner)
    const enter = async (name: string, place: Page | Locator = page): Promise<void> =>
      await place.getByRole('button', { name, exact: true }).press('Enter')
    const agree = async (name: string): Promise<void> => {
      const dialog = page.getByRole('dialog')
      // Once the dialog has taken the focus it leaves it alone.
      await dialog.locator(':focus').waitFor()
      await enter(name, dialog)
    }
    const nextIs = async (name: string): Promise<void> => {
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await page.waitForFunction(() => document.activeElement !== document.body)
      await page.keyboard.press('Tab')
      await page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor()
    }
    await enter('Switch to Yearly Plan')
    await agree('Switch to Yearly Plan')
    await toasted(page, 'You are on the Yearly Plan now')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.locator('main :focus').waitFor()
    await enter('Cancel Subscription')
    await toasted(page, 'Subscription cancelled')
    await nextIs('Resume Subscription')

    await page.goto(`${app.url}/admin`)
    await enter('Generate QR Code')
    await toasted(page, 'Success', 'QR code generated successfully')
    await nextIs('Download QR Code')
    await enter('Regenerate')
    await agree('Regenerate')
    await toasted(page, 'Success', 'QR code deleted successfully')
    await nextIs('Generate QR Code')
  })
})

describe('the QR code', () => {
  const withCode = async (): Promise<{ owner: TestBrowser; name: string; page: Page }> => {
    const { owner, name } = await app.restaurant()
    await subscribed(owner)
    await owner.ok(api.qr.generate, { body: { restaurantId: name, qrCodeDataUrl: smallPng } })
    return { owner, name, page: await at('/admin', owner) }
  }

  it('is deleted by Regenerate, which asks first, and the next one proves something else', async () => {
    const { name, page } = await withCode()
    const before = await readCode(pixelsOfPng(await pictureOf(page, `QR code of ${name}`)))
    await press(page, 'Regenerate')
    await page.getByRole('dialog', { name: 'Delete this QR code?' }).waitFor()
    await isFine(page, 'regenerate')
    await press(page, 'Keep it')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await press(page, 'Regenerate')
    await page.getByRole('dialog').getByRole('button', { name: 'Regenerate', exact: true }).click()
    await toasted(page, 'Success', 'QR code deleted successfully')
    await text(page, 'No QR Code Yet').waitFor()
    await press(page, 'Generate QR Code')
    const after = await readCode(pixelsOfPng(await pictureOf(page, `QR code of ${name}`)))
    expect([before, after].map((link) => new URL(link).searchParams.get('k')?.split('.')[0])).toEqual([
      '1',
      '2',
    ])
  })

  it('says so when it cannot be made, deleted or read', async () => {
    const { owner, page } = await withCode()
    await page.route('**/api/qr-codes/me', async (route) => {
      if (route.request().method() === 'DELETE') await route.fulfill({ status: 500, body: 'Down' })
      else await route.continue()
    })
    expectPageError(page, /500.*\/api\/qr-codes\/me/)
    await press(page, 'Regenerate')
    await page.getByRole('dialog').getByRole('button', { name: 'Regenerate', exact: true }).click()
    await toasted(page, 'Error', 'Failed to delete QR code')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await button(page, 'Regenerate').waitFor()

    await page.unroute('**/api/qr-codes/me')
    await owner.ok(api.qr.remove, {})
    await page.reload()
    await text(page, 'No QR Code Yet').waitFor()
    await page.route('**/api/qr-codes', async (route) => await route.fulfill({ status: 500, body: 'Down' }))
    expectPageError(page, /500.*\/api\/qr-codes\)/)
    await press(page, 'Generate QR Code')
    await toasted(page, 'Error', 'Failed to generate QR code')
    await page.route('**/api/qr-codes', async (route) => {
      const body = JSON.stringify({ code: 'conflict', message: 'Somebody else is at it' })
      await route.fulfill({ status: 409, contentType: 'application/json', body })
    })
    expectPageError(page, /409.*\/api\/qr-codes\)/)
    await press(page, 'Generate QR Code')
    await toasted(page, 'Error', 'Somebody else is at it')
    await expect.poll(() => button(page, 'Generate QR Code').isEnabled()).toBe(true)

    await page.route('**/api/qr-codes/me', async (route) => await route.fulfill({ status: 503, body: '' }))
    expectPageError(page, /503.*\/api\/qr-codes\/me/)
    await page.reload()
    await text(page, 'The QR code could not be loaded.').waitFor()
    await page.unroute('**/api/qr-codes/me')
    await press(page, 'Try again')
    await text(page, 'No QR Code Yet').waitFor()
  })

  it('goes to the sign-in when nobody is signed in any more', async () => {
    const { owner, page } = await withCode()
    await button(page, 'Regenerate').waitFor()
    await owner.send('GET', '/api/logout')
    expectPageError(page, /401.*\/api\/qr-codes\/me/)
    await press(page, 'Regenerate')
    await page.getByRole('dialog').getByRole('button', { name: 'Regenerate', exact: true }).click()
    await toasted(page, 'Unauthorized', 'You are logged out. Logging in again...')
    await waitForTitle(page, 'Admin Login')
    expect(new URL(page.url()).searchParams.get('returnTo')).toBe('/admin')
  })

  it('stays when the subscription has ended, and says that a new one would need it', async () => {
    const { owner, name } = await app.restaurant()
    await subscribed(owner)
    await owner.ok(api.qr.generate, { body: { restaurantId: name, qrCodeDataUrl: smallPng } })
    await owner.ok(api.billing.cancel, {})
    await owner.ok(api.billing.advanceSandbox, {})
    const page = await at('/admin', owner)
    await section(page, 'Subscription Required').waitFor()
    await button(page, 'Download QR Code').waitFor()
    await press(page, 'Regenerate')
    await page.getByText('You need an active subscription to generate a new one.').waitFor()
  })
})

describe('the sandbox card', () => {
  /** At the card form of the monthly plan. */
  const atForm = async (): Promise<{ owner: TestBrowser; page: Page }> => {
    const { owner } = await app.restaurant()
    const page = await at('/subscribe', owner)
    await press(page, 'Choose Monthly')
    await section(page, 'Monthly Subscription').waitFor()
    return { owner, page }
  }
  const pay = async (page: Page, number: string | null): Promise<void> => {
    await typeCard(page, number)
    await press(page, 'Subscribe for $100/month')
  }

  it.each([
    [testCards.declined, 'Your card was declined.'],
    [testCards.insufficient, 'Your card has insufficient funds.'],
  ])('%s is refused: %s', async (number, reason) => {
    const { owner, page } = await atForm()
    expectPageError(page, /402.*\/api\/sandbox/)
    await pay(page, number)
    await toasted(page, 'Payment Setup Failed', reason)
    expect(await statusOf(owner)).toBeNull()
    await pay(page, testCards.ok)
    await toasted(page, 'Success! Your subscription is now active.')
    expect(await statusOf(owner)).toBe('active')
  })

  it('is never a real one, and no digit leaves the browser', async () => {
    const { page } = await atForm()
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')))
    await pay(page, '5555 5555 5555 4444')
    await toasted(page, 'Payment Setup Failed', 'Test cards only. Never type a real card')
    await isFine(page, 'real-card')
    expect(sent).toEqual([])
    await pay(page, testCards.ok)
    await waitForTitle(page, 'Welcome back')
    expect(sent.filter((request) => /4242|5555/.test(request))).toEqual([])
  })

  it('has an expiry to come and a CVC', async () => {
    const { page } = await atForm()
    await fill(page, { 'Card number': testCards.ok, Expiry: '12/20', CVC: '1' })
    await press(page, 'Subscribe for $100/month')
    await text(page, 'This card has expired').waitFor()
    await text(page, 'Please enter 3 digits').waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('expiry')
  })

  it('can be taken from the list', async () => {
    const { owner, page } = await atForm()
    await page.getByRole('button', { name: '4242 4242 4242 4242' }).click()
    await press(page, 'Subscribe for $100/month')
    await waitForTitle(page, 'Welcome back')
    expect(await statusOf(owner)).toBe('active')
  })

  it('puts the last complaint away when it is tried again', async () => {
    const { page } = await atForm()
    expectPageError(page, /402.*\/api\/sandbox/)
    await pay(page, testCards.declined)
    await toasted(page, 'Payment Setup Failed', 'Your card was declined.')
    await pay(page, testCards.sca)
    await page.getByRole('dialog').waitFor()
    // Sooner than it would go by itself.
    await toast(page).waitFor({ state: 'detached', timeout: 2_000 })
  })

  it('may ask the bank, which approves', async () => {
    const { owner, page } = await atForm()
    await pay(page, testCards.sca)
    await page.getByRole('dialog', { name: 'Your bank asks' }).waitFor()
    expect(await page.getByText('Processing...').count()).toBe(1)
    await isFine(page, 'bank')
    await press(page, 'Approve')
    await waitForTitle(page, 'Welcome back')
    expect(await statusOf(owner)).toBe('active')
  })

  it.each(['Decline', 'Close'])('may ask the bank, which does not approve: %s', async (answer) => {
    const { owner, page } = await atForm()
    expectPageError(page, /402.*\/api\/sandbox/)
    await pay(page, testCards.sca)
    await page.getByRole('dialog', { name: 'Your bank asks' }).waitFor()
    await press(page, answer)
    await toasted(page, 'Payment Setup Failed')
    await toast(page).getByText('We are unable to authenticate your payment method.').waitFor()
    await expect.poll(() => button(page, 'Subscribe for $100/month').isEnabled()).toBe(true)
    expect(await statusOf(owner)).toBeNull()
  })

  it('whose first charge fails leaves the subscription unfinished; another card finishes it', async () => {
    const { owner, page } = await atForm()
    await pay(page, testCards.charge_fails)
    await toasted(page, 'Subscription Error', 'Subscription not active: incomplete')
    await page.getByText('Your first payment has not gone through.').waitFor()
    expect(await statusOf(owner)).toBe('incomplete')
    await isFine(page, 'incomplete')
    await press(page, 'Confirm Payment')
    await toasted(page, 'Subscription Error', 'Subscription not active: incomplete')
    await press(page, 'Choose Monthly')
    await pay(page, testCards.ok)
    await toasted(page, 'Success! Your subscription is now active.')
    await waitForTitle(page, 'Welcome back')
    expect(await statusOf(owner)).toBe('active')
  })

  it('is put in once, however often its charging is tried', async () => {
    const { owner, page } = await atForm()
    let confirmations = 0
    page.on('request', (request) => {
      if (request.url().includes('/api/sandbox/')) confirmations += 1
    })
    await page.route('**/api/confirm-subscription', async (route) => {
      await route.fulfill({ status: 500, body: 'Down' })
    })
    expectPageError(page, /500.*\/api\/confirm-subscription/)
    await pay(page, testCards.ok)
    await toasted(page, 'Subscription Error', 'Failed to create subscription')
    await page.route('**/api/confirm-subscription', async (route) => await route.abort())
    expectPageError(page, /confirm-subscription net::ERR_FAILED/)
    expectPageError(page, /ERR_FAILED.*confirm-subscription/)
    await press(page, 'Subscribe for $100/month')
    await toasted(page, 'No connection to the server. Please check the network and try again.')
    await page.unroute('**/api/confirm-subscription')
    await press(page, 'Subscribe for $100/month')
    await waitForTitle(page, 'Welcome back')
    expect([confirmations, await statusOf(owner)]).toEqual([1, 'active'])
  })

  it('stays in its form while the server is away, and is charged when it is back', async () => {
    const { owner, page } = await atForm()
    for (const gone of [/ERR_INTERNET_DISCONNECTED.*\/api\//, /\/api\/.*ERR_INTERNET_DISCONNECTED/])
      expectPageError(page, gone)
    await page.route(
      '**/api/confirm-subscription',
      async (route) => {
        await page.context().setOffline(true)
        await route.continue()
      },
      { times: 1 },
    )
    await pay(page, testCards.ok)
    await toasted(page, 'No connection to the server. Please check the network and try again.')
    await page.waitForLoadState('networkidle')
    await page.context().setOffline(false)
    await press(page, 'Subscribe for $100/month')
    await waitForTitle(page, 'Welcome back')
    expect(await statusOf(owner)).toBe('active')
  })

  it('says why it was not charged', async () => {
    const { page } = await atForm()
    // As if the card had been taken; the server knows nothing of it, and so no subscription comes of it.
    await page.route('**/api/sandbox/**', async (route) => {
      await route.fulfill({ contentType: 'application/json', body: '{"status":"succeeded"}' })
    })
    await page.route('**/api/confirm-subscription', async (route) => {
      const body = JSON.stringify({ code: 'payment_required', message: 'Your card was declined.' })
      await route.fulfill({ status: 402, contentType: 'application/json', body })
    })
    expectPageError(page, /402.*\/api\/confirm-subscription/)
    await pay(page, testCards.ok)
    await toasted(page, 'Subscription Error', 'Your card was declined.')
    await button(page, 'Choose Monthly').waitFor()
  })
})

describe('a plan that cannot be paid', () => {
  const problems: [what: string, answer: { status: number; body: string }, said: string][] = [
    ['the server fails', { status: 500, body: 'Down' }, 'Failed to initialize payment. Please try again.'],
    ['the answer is none', { status: 200, body: '{}' }, 'Invalid response from server'],
    ['the answer is no JSON', { status: 200, body: 'Hello' }, 'Invalid response from server'],
    [
      'the price is missing',
      { status: 200, body: '{"clientSecret":"seti_1_secret_2","priceId":""}' },
      'Invalid response from server',
    ],
    [
      'the server says why',
      { status: 503, body: '{"code":"unavailable","message":"Payments are not set up"}' },
      'Payments are not set up',
    ],
  ]

  it.each(problems)('because %s: shows the plans again', async (_, answer, said) => {
    const { owner } = await app.restaurant()
    const page = await at('/subscribe', owner)
    await page.route('**/api/create-subscription', async (route) => await route.fulfill(answer))
    if (answer.status !== 200) expectPageError(page, /\/api\/create-subscription/)
    await press(page, 'Choose Monthly')
    await toasted(page, 'Error', said)
    await button(page, 'Choose Monthly').waitFor()
  })

  it('says what it is waiting for', async () => {
    const { owner } = await app.restaurant()
    const page = await at('/subscribe', owner)
    const gate = Promise.withResolvers<void>()
    await page.route('**/api/create-subscription', async (route) => {
      await gate.promise
      await route.continue()
    })
    await press(page, 'Choose Monthly')
    await text(page, 'Setting up your subscription...').waitFor()
    await isFine(page, 'setting-up')
    gate.resolve()
    await section(page, 'Monthly Subscription').waitFor()
  })

  it('by whoever is not signed in: goes to the sign-in, which comes back', async () => {
    const { name } = await app.restaurant()
    const page = await at('/subscribe')
    await text(page, 'SANDBOX - no real charges').waitFor()
    await press(page, 'Choose Yearly')
    await toasted(page, 'Unauthorized', 'You are logged out. Logging in again...')
    await waitForTitle(page, 'Admin Login')
    await fill(page, { Username: name, Password: password })
    await press(page, 'Sign In')
    await waitForTitle(page, 'Choose Your Plan')
    await text(page, 'SANDBOX - no real charges').waitFor()
  })

  it('by whoever was signed out meanwhile: the same', async () => {
    const { owner } = await app.restaurant()
    const page = await at('/subscribe', owner)
    await button(page, 'Choose Monthly').waitFor()
    await owner.send('GET', '/api/logout')
    expectPageError(page, /401.*\/api\/create-subscription/)
    await press(page, 'Choose Monthly')
    await toasted(page, 'Unauthorized', 'You are logged out. Logging in again...')
    await waitForTitle(page, 'Admin Login')
  })

  it('twice: the second screen learns of the subscription of the first', async () => {
    const { owner } = await app.restaurant()
    const page = await at('/subscribe', owner)
    await button(page, 'Choose Monthly').waitFor()
    await subscribed(owner)
    expectPageError(page, /409.*\/api\/create-subscription/)
    await press(page, 'Choose Monthly')
    await toasted(page, 'Error', 'A subscription already exists')
    await section(page, 'Premium Restaurant Plan').getByText('Active', { exact: true }).waitFor()
  })

  it('may be skipped, and gone back from', async () => {
    const { owner } = await app.restaurant()
    const page = await at('/admin', owner)
    await followLink(page, 'Subscribe for $100/month')
    await press(page, 'Back')
    await waitForTitle(page, 'Get Set Up')
    await followLink(page, 'Subscribe for $100/month')
    await followLink(page, 'Skip for now')
    await waitForTitle(page, 'Welcome back')
    expect(pathOf(page)).toBe('/dashboard')
  })

  it('can be tried again when the plans could not be read', async () => {
    const { owner } = await app.restaurant()
    const page = await at('/', owner)
    await page.route('**/api/subscription?*', async (route) => await route.fulfill({ status: 500, body: '' }))
    expectPageError(page, /500.*\/api\/subscription/)
    await page.goto(`${app.url}/subscribe`)
    await button(page, 'Try again').waitFor()
    await page.unroute('**/api/subscription?*')
    await press(page, 'Try again')
    await button(page, 'Choose Monthly').waitFor()
  })
})

describe('a subscription', () => {
  it('is cancelled, with Undo, resumed, and changed', async () => {
    const { owner } = await app.restaurant()
    await subscribed(owner)
    const page = await at('/dashboard', owner)
    await followLink(page, 'Manage Subscription')
    const plan = section(page, 'Premium Restaurant Plan')
    await plan.getByText('Monthly Plan, $100/month', { exact: true }).waitFor()
    await plan.getByText(/^Renews on \w+ \d+, \d{4}$/).waitFor()
    await isFine(page, 'subscription')

    await press(page, 'Cancel Subscription')
    await plan.getByText(/^Ends on /).waitFor()
    await toasted(page, 'Subscription cancelled')
    await isFine(page, 'cancelled')
    await press(page, 'Undo')
    await plan.getByText(/^Renews on /).waitFor()
    await toasted(page, 'Subscription resumed')
    await press(page, 'Cancel Subscription')
    await press(page, 'Resume Subscription')
    await plan.getByText(/^Renews on /).waitFor()

    await press(page, 'Switch to Yearly Plan')
    await page.getByRole('dialog').getByText('You are charged $1,100/year now').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Switch to Yearly Plan' }).click()
    await plan.getByText('Yearly Plan, $1,100/year', { exact: true }).waitFor()
    await toasted(page, 'You are on the Yearly Plan now')
    await press(page, 'Switch to Monthly Plan')
    await plan.getByText(/^Changes to the Monthly Plan on /).waitFor()
    await toasted(page, 'You change to the Monthly Plan when the year is over')
    await press(page, 'Keep Yearly Plan')
    await toasted(page, 'You keep the Yearly Plan')
    await plan.getByText(/^Renews on /).waitFor()
    await followLink(page, 'Dashboard')
    await text(page, '$1,100/year subscription').waitFor()
  })

  it('shows no other price before its own is known', async () => {
    const { owner } = await app.restaurant()
    await subscribed(owner)
    await owner.ok(api.billing.changePlan, { body: { planType: 'yearly' } })
    const page = await at('/admin', owner)
    await waitForTitle(page, 'Get Set Up')
    const gate = Promise.withResolvers<void>()
    await page.route('**/api/subscription', async (route) => {
      await gate.promise
      await route.continue()
    })
    const asked = page.waitForRequest('**/api/subscription')
    await followLink(page, 'Dashboard')
    await asked
    await section(page, 'Subscription Status').getByText('Active', { exact: true }).waitFor()
    expect(await page.getByText('$').count()).toBe(0)
    gate.resolve()
    await text(page, '$1,100/year subscription').waitFor()
  })

  it('whose renewal failed goes on, says so everywhere, and is paid with another card', async () => {
    const { owner } = await app.restaurant()
    const page = await at('/subscribe', owner)
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
    await isFine(page, 'past-due')

    await followLink(page, 'Dashboard')
    await text(page, failed).waitFor()
    await followLink(page, 'Get Set Up')
    await section(page, 'Subscription Required').getByText(failed).waitFor()
    expectPageError(page, /402.*\/api\/qr-codes/)
    await press(page, 'Generate QR Code')
    await toasted(page, 'Error', 'Subscription Required')

    await followLink(page, 'Manage Subscription')
    await press(page, 'Billing Portal')
    await waitForTitle(page, 'Choose Your Plan')
    await section(page, 'Premium Restaurant Plan').getByText('Active', { exact: true }).waitFor()
  })

  it('that has ended may be had again', async () => {
    const { owner } = await app.restaurant()
    await subscribed(owner)
    await owner.ok(api.billing.cancel, {})
    await owner.ok(api.billing.advanceSandbox, {})
    const page = await at('/subscribe', owner)
    await text(page, 'Your subscription has ended.').waitFor()
    await press(page, 'Choose Monthly')
    await typeCard(page, testCards.ok)
    await press(page, 'Subscribe for $100/month')
    await toasted(page, 'Success! Your subscription is now active.')
  })

  it('says what went wrong with it', async () => {
    const { owner } = await app.restaurant()
    await subscribed(owner)
    const page = await at('/subscribe', owner)
    await page.route('**/api/subscription/cancel', async (route) => await route.fulfill({ status: 500 }))
    expectPageError(page, /500.*\/api\/subscription\/cancel/)
    await press(page, 'Cancel Subscription')
    await toasted(page, 'Subscription Error', 'Failed to change the subscription. Please try again.')
    await expect.poll(() => button(page, 'Cancel Subscription').isEnabled()).toBe(true)
  })

  it('stays on the screen while the server is away', async () => {
    const { owner } = await app.restaurant()
    await subscribed(owner)
    const page = await at('/subscribe', owner)
    await button(page, 'Cancel Subscription').waitFor()
    for (const gone of [/ERR_INTERNET_DISCONNECTED.*\/api\//, /\/api\/.*ERR_INTERNET_DISCONNECTED/])
      expectPageError(page, gone)
    await page.context().setOffline(true)
    await press(page, 'Cancel Subscription')
    await toasted(page, 'No connection to the server. Please check the network and try again.')
    await page.context().setOffline(false)
    await press(page, 'Cancel Subscription')
    await toasted(page, 'Subscription cancelled')
  })
})

describe('an owner who was signed out in another tab', () => {
  const ways: [where: string, does: string, work: (page: Page) => Promise<void>, comesBackTo: string][] = [
    ['/dashboard', 'goes to Get Set Up', (page) => followLink(page, 'Get Set Up'), '/admin'],
    [
      '/dashboard',
      'goes to the subscription',
      (page) => followLink(page, 'Manage Subscription'),
      '/subscribe',
    ],
    ['/admin', 'goes home', (page) => followLink(page, 'Home'), '/'],
    ['/subscribe', 'cancels the subscription', (page) => press(page, 'Cancel Subscription'), '/subscribe'],
    ['/subscribe', 'opens the billing portal', (page) => press(page, 'Billing Portal'), '/subscribe'],
  ]

  it.each(ways)('on %s, and %s: is told, and comes back after the sign-in', async (path, _, work, back) => {
    const { owner } = await app.restaurant()
    await subscribed(owner)
    const page = await at(path, owner)
    await page.getByRole('button').or(page.getByRole('link')).first().waitFor()
    await page.waitForLoadState('networkidle')
    await owner.send('GET', '/api/logout')
    expectPageError(page, /401/)
    await work(page)
    await toasted(page, 'Unauthorized', 'You are logged out. Logging in again...')
    await waitForTitle(page, 'Admin Login')
    expect(new URL(page.url()).searchParams.get('returnTo')).toBe(back)
  })

  it('and pays with a card that is in already: is told, and finds the subscription after the sign-in', async () => {
    const { owner, name } = await app.restaurant()
    const page = await at('/subscribe', owner)
    await press(page, 'Choose Monthly')
    await typeCard(page, testCards.ok)
    await page.route('**/api/confirm-subscription', async (route) => {
      await owner.send('GET', '/api/logout')
      await route.continue()
    })
    expectPageError(page, /401.*\/api\/confirm-subscription/)
    await press(page, 'Subscribe for $100/month')
    await toasted(page, 'Unauthorized', 'You are logged out. Logging in again...')
    await waitForTitle(page, 'Admin Login')
    await fill(page, { Username: name, Password: password })
    await press(page, 'Sign In')
    await section(page, 'Premium Restaurant Plan').getByText('Active', { exact: true }).waitFor()
  })
})

describe('without billing', () => {
  let free: TestApp
  beforeAll(async () => {
    free = await startTestApp({ billing: false })
  })
  afterAll(() => free.stop())

  it('everything is included and no plan is shown', async () => {
    const { owner } = await free.restaurant()
    const page = await at('/dashboard', owner, free)
    await text(page, 'Everything is included').waitFor()
    await section(page, 'Subscription Status').getByText('Active', { exact: true }).waitFor()
    expect(await page.getByText('$').count()).toBe(0)
    await page.goto(`${free.url}/subscribe`)
    await text(page, 'Everything is included here: this installation takes no payments.').waitFor()
    expect(await page.getByText(/\$|SANDBOX|Choose/).count()).toBe(0)
    await isFine(page, 'no-billing')
    await page.goto(`${free.url}/admin`)
    await press(page, 'Generate QR Code')
    await toasted(page, 'Success', 'QR code generated successfully')
  })

  it('nobody who is signed out is shown a plan either', async () => {
    const page = await at('/subscribe', undefined, free)
    await text(page, 'Everything is included here: this installation takes no payments.').waitFor()
    expect(await page.getByText(/\$|SANDBOX|Choose/).count()).toBe(0)
  })
})

describe('the table cards', () => {
  const tables = [
    ...Array.from({ length: 7 }, (_, index) => String(index + 1)),
    'Patio 3',
    'The long table by the window, upstairs 1',
  ]
  const host = (): string => new URL(app.url).host
  let owner: TestBrowser

  beforeAll(async () => {
    const restaurant = await app.restaurant({ name: 'The Copper Pot', tables })
    owner = restaurant.owner
    await subscribed(owner)
  })

  /** Where nothing can draw a PDF: the codes as they are laid out for the printer. */
  async function codesOnScreen(page: Page): Promise<string[]> {
    await page.emulateMedia({ media: 'print' })
    const codes = page.getByRole('img', { name: /^QR code of table/, includeHidden: true })
    const read: string[] = []
    for (const code of await codes.all()) {
      const picture = await code.screenshot()
      read.push(await readCode(pixelsOfPng(`data:image/png;base64,${picture.toString('base64')}`)))
    }
    return read
  }

  const linksOf = async (): Promise<string[]> =>
    (await owner.ok(api.qr.sheet, {})).cards.map(({ link }) => link)

  it.each([
    ['A4 sheet', 'sheet', 2, [210, 297], 1],
    ['Table tent', 'tent', 9, [210, 297], 2],
    ['Sticker', 'sticker', 9, [62, 100], 1],
  ] as const)('print as %s, and every code decodes', async (label, name, pages, size, faces) => {
    const page = await at('/admin', owner)
    await followLink(page, 'Table Cards')
    await field(page, 'Format').selectOption(label)
    const cards = page.locator('.table-card')
    expect(await cards.count()).toBe(tables.length * faces)
    await page.getByText(`9 cards on ${pages} pages.`).waitFor()
    await isFine(page, `cards-${name}`)

    const { pages: sizes, pictures } = await printPage(page)
    expect(sizes).toEqual(Array.from({ length: pages }, () => [...size]))
    const expected = (await linksOf()).flatMap((link) => Array.from({ length: faces }, () => link))
    const found = pictures ? (await Promise.all(pictures.map(readCodes))).flat() : await codesOnScreen(page)
    expect(found.toSorted()).toEqual(expected.toSorted())
  })

  it('name the table and say its link in words', async () => {
    const page = await at('/admin/cards', owner)
    const seven = page.getByRole('article', { name: 'Card of table 7' })
    await seven.waitFor()
    expect(await textsOf(seven.getByRole('paragraph'))).toEqual([
      'The Copper Pot',
      'Table 7',
      'Scan to call your waiter',
      `or open ${host()}/customer?r=The+Copper+Pot&t=7`,
    ])
    await page.goto(`${app.url}/customer?r=The+Copper+Pot&t=7`)
    await waitForTitle(page, 'What do you need?')
  })

  it('keep inside their paper, however long the names', async () => {
    const longest = await app.restaurant({
      name: 'Wirtshaus zum Goldenen Hirschen am Marktplatz gegenüber der alten Stadtkirche',
      tables: ['7', 'Gartenmöbel', 'W'.repeat(40), 'An der großen Fensterbank hinten, oben 12'.slice(0, 40)],
    })
    await subscribed(longest.owner)
    const page = await at('/admin/cards', longest.owner)
    for (const format of ['A4 sheet', 'Table tent', 'Sticker']) {
      await field(page, 'Format').selectOption(format)
      await page.emulateMedia({ media: 'print' })
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll('.table-card')].flatMap((card) => {
          const edge = card.getBoundingClientRect()
          return [...card.querySelectorAll('.table, .table strong, .restaurant, .invitation, .address')]
            .filter((words) => {
              const { top, right, bottom, left } = words.getBoundingClientRect()
              const inside = top >= edge.top && bottom <= edge.bottom && left >= edge.left
              return !inside || right > edge.right + 0.5 || words.scrollWidth > words.clientWidth + 1
            })
            .map((words) => `${words.className} of ${card.getAttribute('aria-label')}`)
        }),
      )
      expect(cut, `cut off on ${format}`).toEqual([])
      await page.emulateMedia({ media: 'screen' })
    }
  })

  it('can be printed for one table', async () => {
    const page = await at('/admin/cards', owner)
    await field(page, 'Tables').selectOption('Patio 3')
    await page.getByText('1 card on 1 page.').waitFor()
    expect((await printPage(page)).pages).toEqual([[210, 297]])
    await page.evaluate(() => {
      window.print = () => document.body.setAttribute('data-printed', 'yes')
    })
    await press(page, 'Print')
    expect(await page.locator('body').getAttribute('data-printed')).toBe('yes')
  })

  it('need tables', async () => {
    const restaurant = await app.restaurant()
    await subscribed(restaurant.owner)
    const page = await at('/admin/cards', restaurant.owner)
    await section(page, 'No Tables Yet').waitFor()
    await isFine(page, 'cards-none')
    await followLink(page, 'Set Up Tables')
    await waitForTitle(page, 'Admin Portal')
  })

  it('need a subscription', async () => {
    const restaurant = await app.restaurant({ tables: ['1'] })
    const page = await at('/admin', restaurant.owner)
    expectPageError(page, /402.*\/api\/qr-codes\/sheet/)
    await followLink(page, 'Table Cards')
    await section(page, 'Subscription Required').waitFor()
    await isFine(page, 'cards-unpaid')
  })

  it('say so when they cannot be had', async () => {
    const page = await at('/admin', owner)
    await page.route('**/api/qr-codes/sheet', async (route) => await route.fulfill({ status: 500, body: '' }))
    expectPageError(page, /500.*\/api\/qr-codes\/sheet/)
    await followLink(page, 'Table Cards')
    await text(page, 'The table cards could not be loaded.').waitFor()
    await page.unroute('**/api/qr-codes/sheet')
    await press(page, 'Try again')
    await page.getByText('9 cards on 2 pages.').waitFor()
  })

  it('belong to owners', async () => {
    const page = await at('/')
    // The words stand there for half a second only.
    await page.goto(`${app.url}/admin/cards`, { waitUntil: 'commit' })
    await toasted(page, 'Unauthorized', 'You are logged out. Logging in again...')
    await waitForTitle(page, 'Admin Login')
  })
})

/** Stripe's own script is not reachable here: a stand-in proves what we ask of it, and the rest is the real thing. */
describe('with Stripe', () => {
  let rig: StripeBillingRig
  beforeAll(async () => {
    rig = await createStripeRig()
  })
  afterAll(() => rig.stop())

  type Bank = Parameters<typeof serveFakeStripeJs>[1]
  const charged = 'Success! Your subscription is now active.'

  const stripeBank =
    (approve = true): Bank =>
    (what, name) => {
      const [, kind, id = ''] = /^(setup|charge) (\w+)$/.exec(what) ?? []
      if (kind === 'charge') {
        if (!approve) return { problem: 'Your bank said no.' }
        rig.fake.payFirstCharge(id.replace(/^pi_(\w+)_secret_x$/, '$1'))
        return {}
      }
      try {
        const failing = name === 'redirect declined'
        const put = name.startsWith('redirect') ? 'sca' : (name as 'ok')
        const step = name.startsWith('redirect') ? (failing ? 'decline' : 'approve') : undefined
        return { status: rig.fake.enterCard(id, put, step) }
      } catch (problem) {
        return { problem: problem instanceof Error ? problem.message : '' }
      }
    }

  async function open(path: string, bank = stripeBank()) {
    const { owner } = await rig.app.restaurant()
    const page = await at('/dashboard', owner, rig.app)
    await waitForTitle(page, 'Welcome back')
    const documents: string[] = []
    page.on('request', (request) => {
      if (request.isNavigationRequest()) documents.push(new URL(request.url()).pathname)
    })
    const script = await serveFakeStripeJs(page, bank)
    if (path !== '/dashboard') await page.goto(rig.app.url + path)
    return { owner, page, documents, script }
  }

  const payWith = async (page: Page, name: string): Promise<void> => {
    await field(page, 'Card at Stripe').fill(name)
    await press(page, 'Subscribe for $100/month')
  }

  it('loads its script on a document of its own, and nowhere else', async () => {
    const { owner, page, documents, script } = await open('/dashboard')
    await followLink(page, 'Subscribe Now')
    await button(page, 'Choose Monthly').waitFor()
    expect([documents, script.loads]).toEqual([['/subscribe'], []])
    expect(await page.getByText('SANDBOX').count()).toBe(0)
    await press(page, 'Choose Monthly')
    await field(page, 'Card at Stripe').waitFor()
    expect(script.loads).toEqual(['/subscribe'])
    expect(await accessibilityProblems(page)).toEqual([])
    await payWith(page, 'ok')
    await toasted(page, charged)
    await waitForTitle(page, 'Welcome back')
    expect([documents, pathOf(page)]).toEqual([['/subscribe', '/dashboard'], '/dashboard'])
    expect(await page.evaluate('typeof Stripe')).toBe('undefined')
    await section(page, 'Subscription Status').getByText('Active', { exact: true }).waitFor()
    expect(await rig.countLive(owner)).toBe(1)
    await page.goBack()
    await waitForTitle(page, 'Choose Your Plan')
    await page.goBack()
    await waitForTitle(page, 'Welcome back')
  })

  it('is given what the current Stripe.js wants', async () => {
    const { page } = await open('/subscribe')
    await press(page, 'Choose Monthly')
    await payWith(page, 'declined')
    await toasted(page, 'Payment Setup Failed', 'Your card was declined.')
    const seen = await page.evaluate('stripeSeen')
    const price = `${rig.app.url}/subscribe?price=price_fake_monthly`
    expect(seen).toEqual([
      ['elements', 'pk_test_key', ['clientSecret', 'appearance']],
      ['create', 'payment'],
      ['confirmSetup', 'if_required', { return_url: price }],
    ])
    await payWith(page, 'ok')
    await waitForTitle(page, 'Welcome back')
  })

  it('comes back from a bank that wanted a page of its own', async () => {
    const { owner, page } = await open('/subscribe')
    await press(page, 'Choose Monthly')
    await payWith(page, 'redirect')
    await toasted(page, charged)
    await waitForTitle(page, 'Welcome back')
    expect([pathOf(page), await rig.countLive(owner)]).toEqual(['/dashboard', 1])
  })

  it('comes back from a bank that said no, and forgets the address', async () => {
    const { owner, page } = await open('/subscribe')
    await press(page, 'Choose Monthly')
    expectPageError(page, /409.*\/api\/confirm-subscription/)
    await payWith(page, 'redirect declined')
    await toasted(page, 'Payment Setup Failed')
    await toast(page).getByText('We are unable to authenticate your payment method.').waitFor()
    await button(page, 'Choose Monthly').waitFor()
    expect(page.url()).toBe(`${rig.app.url}/subscribe`)
    expect(await rig.countLive(owner)).toBe(0)
  })

  it('takes the bank’s step of the first charge, then asks once more', async () => {
    const { owner, page } = await open('/subscribe')
    await press(page, 'Choose Monthly')
    await payWith(page, 'charge_fails')
    await toasted(page, charged)
    await waitForTitle(page, 'Welcome back')
    expect(await rig.countLive(owner)).toBe(1)
  })

  it('says what the bank said of the first charge, which may be confirmed later', async () => {
    let approves = false
    const { page } = await open('/subscribe', (what, name) => stripeBank(approves)(what, name))
    await press(page, 'Choose Monthly')
    await payWith(page, 'charge_fails')
    await toasted(page, 'Payment Setup Failed', 'Your bank said no.')
    await page.getByText('Your first payment has not gone through.').waitFor()
    approves = true
    await press(page, 'Confirm Payment')
    await toasted(page, charged)
    await waitForTitle(page, 'Welcome back')
  })

  it('shows the plans again when its script cannot be had', async () => {
    const { page } = await open('/subscribe')
    await page.context().unroute('https://js.stripe.com/**')
    await page.context().route('https://js.stripe.com/**', async (route) => await route.abort())
    expectPageError(page, /js\.stripe\.com/)
    await press(page, 'Choose Monthly')
    await toasted(page, 'Error', 'Failed to initialize payment. Please try again.')
    await button(page, 'Choose Monthly').waitFor()
  })
})
