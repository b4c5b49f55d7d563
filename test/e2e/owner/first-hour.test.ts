import type { FrameLocator, Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { testCards } from '#contract/billing.ts'
import { futureExpiry } from '../../../src/client/features/owner/cards/card-input.ts'
import { password } from '../../support/app.ts'
import { text } from '../pages/owner-pages.ts'
import { openPageAs, submitSignUp } from '../pages/sign-in.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { brokenWords, brokenWordsOfAll, countLines, setTextSize } from '../support/accessibility.ts'
import {
  lastingProblems,
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
import { viewports } from '../support/screenshots.ts'
import { stopTime } from '../support/time.ts'

const staff = setUpStaffApp()

/** From the upper edge of the screen, or of that of the page in which it is framed. */
const bottomOf = async (shown: Locator): Promise<number> => {
  const box = await shown.boundingBox()
  return box ? box.y + box.height : Infinity
}

it('takes an owner from the landing page to the first answered request in 14 taps and 9 typed fields', async () => {
  const page = await staff.open('/')
  const used = { taps: 0, fields: 0 }
  const tap = async (target: Locator): Promise<void> => {
    used.taps += 1
    await target.click()
  }
  const type = async (label: string, typed: string): Promise<void> => {
    used.fields += 1
    await field(page, label).fill(typed)
  }
  const link = (name: string): Locator => page.getByRole('link', { name, exact: true })
  const frame = (title: RegExp): FrameLocator => page.getByTitle(title).contentFrame()

  await waitForTitle(page, 'Restaurant Service Management')
  expect(await lastingProblems(page)).toEqual([])
  await tap(link('Create account'))
  await type('Restaurant Name', 'The Blue Lantern')
  await type('Email', 'owner@blue-lantern.example')
  await type('Password', password)
  await type('Confirm Password', password)
  await tap(page.getByRole('checkbox', { name: 'I am not a robot' }))
  await tap(button(page, 'Create Account'))

  await waitForTitle(page, 'Select Portal')
  await tap(button(page, 'Set Up Tables'))
  await text(page, '1 of 6 done').waitFor()
  expect(await lastingProblems(page)).toEqual([])
  await type('Crew Member Name', 'Maya')
  await tap(button(page, 'Add Crew Member'))
  await text(page, '2 of 6 done').waitFor()
  await tap(button(page, 'Assign All Tables'))
  await text(page, '3 of 6 done').waitFor()

  await tap(link('Choose a Plan'))
  await tap(button(page, 'Choose Monthly'))
  await type('Card number', testCards.ok)
  await type('Expiry', futureExpiry())
  await type('CVC', '123')
  await tap(button(page, 'Subscribe for $100/month'))
  await waitForTitle(page, 'Welcome back')
  await text(page, '4 of 6 done').waitFor()
  await tap(button(page, 'Make the Codes'))
  await text(page, '5 of 6 done').waitFor()

  await tap(link('Try It Out'))
  await waitForTitle(page, 'Try a Request')
  // That all is done may be stored only after the next page has asked.
  const asked = Promise.withResolvers<undefined>()
  await page.route('**/api/first-steps/finish', async (route) => {
    await asked.promise
    await route.continue()
  })
  const guest = frame(/^A guest’s phone at table 1$/)
  await tap(guest.getByRole('button', { name: 'Call Waiter', exact: true }))
  await tap(frame(/^The crew’s screen$/).getByRole('button', { name: /^On my way/ }))
  await text(page, 'Answered: the guest can read who is on the way.').waitFor()
  await guest
    .getByText(/is on the way$/)
    .first()
    .waitFor()
  expect(used.taps).toBeLessThanOrEqual(14)
  expect(used.fields).toBeLessThanOrEqual(9)

  // And the checklist is gone.
  await link('Go to your restaurant').click()
  await waitForTitle(page, 'Welcome back')
  await text(page, '$100/month subscription').waitFor()
  await text(page, '6 of 6 done').waitFor()
  asked.resolve(undefined)
  await expect.poll(() => page.getByText(/of 6 done/).count()).toBe(0)
})

it('begins with the first step on a phone, where the recovery codes wait for a tap', async () => {
  const page = await staff.open('/restaurant-signup')
  await page.setViewportSize(viewports.phone)
  await submitSignUp(page, 'The Green Lantern', 'owner@green-lantern.example')
  await waitForTitle(page, 'Select Portal')
  const codesCard = section(page, 'Save your recovery codes')
  await codesCard.getByRole('button').first().waitFor()
  await page.waitForLoadState('networkidle')
  await expect.poll(() => bottomOf(button(page, 'Set Up Tables'))).toBeLessThan(viewports.phone.height)
  expect(await lastingProblems(page)).toEqual([])

  await page.reload()
  await press(codesCard, 'Show My Recovery Codes')
  await expect.poll(() => codesCard.getByRole('listitem').count()).toBe(10)
  await press(codesCard, 'I Saved Them')
  await codesCard.waitFor({ state: 'detached' })
  await page.reload()
  await button(page, 'Set Up Tables').waitFor()
  await expect.poll(() => page.getByText('Save your recovery codes').count()).toBe(0)
})

it('no longer offers recovery codes after the sign-up once the Security page has shown them', async () => {
  const page = await staff.open('/restaurant-signup')
  await page.setViewportSize(viewports.phone)
  await submitSignUp(page, 'The Grey Lantern', 'owner@grey-lantern.example')
  await button(page, 'Show My Recovery Codes').waitFor()
  await page.goto(`${staff.app.url}/security`)
  await press(page, 'Show My Recovery Codes')
  await press(page, 'I Saved Them')
  await page.goto(`${staff.app.url}/portal-selection`)
  await button(page, 'Set Up Tables').waitFor()
  await page.waitForLoadState('networkidle')
  await expect.poll(() => page.getByText('Save your recovery codes').count()).toBe(0)
})

it('shows the title of the next page on a phone, where a toast was above what was pressed', async () => {
  const { page } = await staff.openAsOwner('/dashboard', { tables: ['1'] })
  await page.clock.install()
  await page.setViewportSize(viewports.phone)
  await page.reload()
  await field(page, 'Crew Member Name').fill('Maya')
  await whenToastsLoad(page)
  const addMember = button(page, 'Add Crew Member')
  await addMember.evaluate((shown) => shown.scrollIntoView({ block: 'end' }))
  await stopTime(page)
  await addMember.click()
  await waitForToast(page, 'Crew member added')
  await expect.poll(() => bottomOf(toast(page))).toBeLessThan(viewports.phone.height / 2)
  await followLink(page, 'Set up')
  // What a page waits for while it opens; the toast stays for longer.
  await page.clock.runFor(1_000)
  await waitForTitle(page, 'Get Set Up')
  await waitForToast(page, 'Crew member added')
  const toastTop = async (): Promise<number> => (await toast(page).boundingBox())?.y ?? 0
  await expect.poll(toastTop).toBeGreaterThan(viewports.phone.height / 2)
})

it('shows what is to be tapped next on a phone, where the screens are above each other', async () => {
  const { owner, page } = await staff.openAsOwner('/dashboard', { tables: ['1'] })
  await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${staff.app.url}/admin/try`)
  const crew = page.getByTitle('The crew’s screen').contentFrame()
  await crew.getByText('No active requests').waitFor()
  expect(await lastingProblems(page)).toEqual([])
  const guestFrame = page.getByTitle('A guest’s phone at table 1')
  const call = guestFrame.contentFrame().getByRole('button', { name: 'Call Waiter', exact: true })
  const belowFrame = async (): Promise<number> => (await bottomOf(call)) - (await bottomOf(guestFrame))
  await expect.poll(belowFrame).toBeLessThan(0)
  await call.click()
  const onMyWay = crew.getByRole('button', { name: 'On my way', exact: true })
  await expect.poll(() => bottomOf(onMyWay)).toBeLessThan(844)
  // While its toast is shown, too.
  const ticketInView = async () => ({
    toasts: await crew.locator('.toast').count(),
    out: await crew.getByText(/not in view/u).count(),
  })
  await expect.poll(ticketInView).toEqual({ toasts: 1, out: 0 })
  await onMyWay.click()
  const answered = text(page, 'Answered: the guest can read who is on the way.')
  await answered.waitFor()
  await expect.poll(() => answered.evaluate((shown) => shown.getBoundingClientRect().top)).toBeGreaterThan(-1)
})

it('begins both screens of “Try a Request” at the same height on a wide screen in German', async () => {
  const { owner } = await staff.app.restaurant({ tables: ['12'] })
  const page = await openPageAs(staff.app, '/admin/try', owner, {
    viewport: viewports.desktop,
    locale: 'de-DE',
  })
  await waitForTitle(page, 'Anfrage ausprobieren')
  const tops = (): Promise<number[]> =>
    page.locator('iframe').evaluateAll((all) => all.map((frame) => frame.getBoundingClientRect().top))
  await expect.poll(async () => (await tops()).length).toBe(2)
  await expect.poll(async () => new Set(await tops()).size).toBe(1)
})

it.each([1024, 1440])(
  'fills the width of a wide screen with the title and picture of the landing page: %i',
  async (width) => {
    const page = await staff.open('/')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 900 })
    await page.reload()
    await waitForTitle(page, 'Restaurant Service Management')
    const title = page.getByRole('heading', { level: 1 })
    const widthOf = (element: Element): number => {
      const text = document.createRange()
      text.selectNodeContents(element)
      return text.getBoundingClientRect().width / (element.parentElement?.clientWidth ?? 1)
    }
    await expect.poll(() => title.evaluate(widthOf)).toBeGreaterThan(0.85)
    await expect.poll(() => countLines(title)).toBe(1)
    // A place for the ticket, which takes it without moving anything.
    const place = page.locator('.moving-slot')
    await expect.poll(async () => (await place.boundingBox())?.height).toBeGreaterThan(120)
    const bottom = await bottomOf(place)
    await button(page, 'Call Waiter').click()
    const ticket = page.locator('.moving-crew .ticket')
    await ticket.waitFor()
    await expect.poll(async () => Math.abs((await bottomOf(ticket)) - bottom)).toBeLessThan(2)
  },
)

it('keeps the words of the landing page whole in large text on a phone', async () => {
  const page = await staff.open('/')
  await page.setViewportSize({ width: 390, height: 844 })
  await waitForTitle(page, 'Restaurant Service Management')
  await button(page, 'Call Waiter').click()
  await button(page, 'Mark Complete').waitFor()
  await setTextSize(page, 32)
  for (const part of ['h1', '.moving-call', '.moving-crew .ticket'])
    await expect
      .poll(async () => ({ part, broken: await brokenWords(page.locator(part)) }))
      .toEqual({ part, broken: [] })
})

it('stays as wide as the screen while the ticket of its picture slides in', async () => {
  const page = await staff.open('/')
  await page.setViewportSize({ width: 320, height: 640 })
  await waitForTitle(page, 'Restaurant Service Management')
  // From now on whatever moves stays where it begins.
  await page.evaluate(() =>
    addEventListener('animationstart', () => {
      for (const animation of document.getAnimations()) {
        animation.pause()
        animation.currentTime = 0
      }
    }),
  )
  await button(page, 'Call Waiter').click()
  const ticketLeft = async (): Promise<number> =>
    (await page.locator('.moving-crew .ticket').boundingBox())?.x ?? 0
  const otherLeft = async (): Promise<number> => (await page.locator('.moving-other').boundingBox())?.x ?? 0
  await expect.poll(async () => (await ticketLeft()) - (await otherLeft())).toBe(32)
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
})

it('keeps the words of an owner’s pages whole in large text on a phone', async () => {
  const { page } = await staff.openAsOwner('/dashboard')
  await page.setViewportSize({ width: 390, height: 844 })
  await setTextSize(page, 32)
  const shortcuts = page.getByRole('navigation', { name: 'Shortcuts' })
  await expect.poll(() => brokenWords(shortcuts)).toEqual([])
  await page.goto(`${staff.app.url}/admin-dashboard/needs`)
  const names = page.locator('[data-need] bdi')
  await names.first().waitFor()
  await expect.poll(() => brokenWordsOfAll(names)).toEqual([])
})
