import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpStaffApp } from '../pages/staff-pages.ts'
import { overflowingElements, smallTargets, lastingViolations } from '../support/accessibility.ts'
import { openPage } from '../support/browser.ts'
import { field, press, section } from '../support/locators.ts'
import { takeScreenshot, takeScreenshots } from '../support/screenshots.ts'

const { app, open } = setUpStaffApp()

it('a word to the manager reaches the portal, and its answer the guest, in his language', async () => {
  const restaurant = await app.restaurant({ tables: ['7'] })
  await restaurant.owner.ok(api.restaurant.change, { body: { managerNotes: true } })
  const guest = await openPage({ viewport: { width: 320, height: 640 }, locale: 'ar' })
  await guest.goto(`${app.url}/customer?${new URLSearchParams({ r: restaurant.name, t: '7' }).toString()}`)
  await guest.getByRole('button', { name: 'هناك شيء ليس على ما يرام' }).click()
  const note = 'الحساء بارد\nوالخبز أيضًا'
  await guest.getByRole('textbox').fill(note)
  expect([
    await lastingViolations(guest),
    await overflowingElements(guest),
    await smallTargets(guest),
  ]).toEqual([[], [], []])
  await takeScreenshot(guest, 'manager-notes-guest-form-320')
  await guest.getByRole('button', { name: 'إرسال' }).click()
  await guest.getByText('أُرسلت إلى المدير').waitFor()
  // In the lines in which it was written.
  await expect.poll(() => guest.locator('.notice .lead').innerText()).toBe(note)

  const portal = await open('/management-dashboard', restaurant.owner)
  const card = section(portal, 'Messages from guests')
  await card.getByText('الحساء بارد').waitFor()
  await guest.getByText('قرأها المدير').waitFor()
  await field(portal, 'Your name, as guests read it').fill('Anna')
  await press(card, 'I’ll take care of it')
  await guest.getByText(/Anna.*يهتم بالأمر/u).waitFor()
  await press(card, 'Close…')
  await field(portal, 'Short answer (optional)').fill('A new soup is on its way.')
  expect(await lastingViolations(portal)).toEqual([])
  await takeScreenshots(portal, 'manager-notes-portal', ['phone', 'desktop'])
  await press(card, 'Close')
  await card.getByText('No one is waiting for an answer.').waitFor()
  await guest.getByText('A new soup is on its way.').waitFor()
  expect(await lastingViolations(guest)).toEqual([])
  await takeScreenshot(guest, 'manager-notes-guest-answer-320')
  await takeScreenshots(guest, 'manager-notes-guest-answer', ['phone', 'desktop'])
})
