// @vitest-environment jsdom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { closeCodes, restaurantDeletedReason } from '#contract/live.ts'
import { password, setUpApp } from '../support/app.ts'
import { QuietSocket } from '../support/pages/jsdom-socket.ts'
import {
  fill,
  findTitle,
  openStaffApp,
  press,
  pressWhenReady,
  waitForToast,
  withoutFigures,
} from '../support/pages/staff-app.tsx'
import { subscribeInSandbox } from '../support/stripe/sandbox-subscription.ts'

const app = setUpApp()

it('deletes the restaurant when its name is typed, and restores it', async () => {
  const { name, owner } = await app.restaurant()
  openStaffApp('/admin-dashboard/settings', {}, owner)
  await screen.findByRole('button', { name: 'Delete Restaurant' })
  press('button', 'Delete Restaurant')
  const dialog = await screen.findByRole('dialog', { name: `Delete ${name}?` })
  const type = (typed: string): void => {
    const field = dialog.querySelector('input')
    if (field) fireEvent.input(field, { target: { value: typed } })
  }
  type('Another name')
  await pressWhenReady('Delete It', dialog)
  await waitForToast('This is not the name of your restaurant')
  type(name)
  await pressWhenReady('Delete It', dialog)
  await screen.findByText(/^It is deleted\. Everything in it is erased on/)
  await screen.findByText(/^Your restaurant is deleted/)
  expect((await owner.ok(api.restaurant.ending, {})).eraseAt).toBeGreaterThan(app.now())
  // The pressed button is gone: the keyboard goes on in front of what has taken its place.
  const card = screen.getByRole('region', { name: 'Delete the Restaurant' })
  const isInFront = (): boolean => document.activeElement === card.parentElement
  await expect.poll(isInFront).toBe(true)

  await pressWhenReady('Restore Restaurant')
  await screen.findByRole('button', { name: 'Delete Restaurant' })
  await expect.poll(isInFront).toBe(true)
  expect(await owner.ok(api.restaurant.ending, {})).toEqual({ eraseAt: null })
})

it('the home offers no first steps for a deleted restaurant', async () => {
  const { name, owner } = await app.restaurant()
  openStaffApp('/dashboard', withoutFigures, owner)
  await screen.findByText('Six steps to the first guest')
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  const { whenLoaded } = openStaffApp('/dashboard', withoutFigures, owner)
  await screen.findAllByText(/^Your restaurant is deleted/)
  await whenLoaded()
  await waitFor(() => expect(screen.queryByText('Six steps to the first guest')).toBeNull())
  expect(screen.queryByRole('button', { name: 'Add Crew Member' })).toBeNull()
})

it('what another tab has deleted or restored meanwhile is shown as it is', async () => {
  const { name, owner } = await app.restaurant()
  openStaffApp('/admin-dashboard/settings', {}, owner)
  await screen.findByRole('button', { name: 'Delete Restaurant' })
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  press('button', 'Delete Restaurant')
  const dialog = await screen.findByRole('dialog', { name: `Delete ${name}?` })
  const field = dialog.querySelector('input')
  if (field) fireEvent.input(field, { target: { value: name } })
  await pressWhenReady('Delete It', dialog)
  await waitForToast('This restaurant is deleted already')
  await screen.findByRole('button', { name: 'Restore Restaurant' })
  await screen.findByText(/^Your restaurant is deleted/)

  await owner.ok(api.restaurant.restore, {})
  await pressWhenReady('Restore Restaurant')
  await waitForToast('This restaurant is not deleted')
  await screen.findByRole('button', { name: 'Delete Restaurant' })
  expect(screen.queryByText(/^Your restaurant is deleted/)).toBeNull()
})

it('sends the owner to a subscription that is still charged, before anything is typed', async () => {
  const { name, owner } = await app.restaurant()
  await subscribeInSandbox(app, owner)
  openStaffApp('/admin-dashboard/settings', {}, owner)
  await screen.findByRole('button', { name: 'Delete Restaurant' })
  press('button', 'Delete Restaurant')
  const dialog = within(await screen.findByRole('dialog', { name: `Delete ${name}?` }))
  await dialog.findByText('Please cancel your subscription first, so that nothing more is charged')
  expect(dialog.getByRole('link', { name: 'Manage Subscription' }).getAttribute('href')).toBe('/subscribe')
  expect(dialog.queryByRole('textbox')).toBeNull()
})

const deletedText = 'The owner has deleted this restaurant. Only the owner can still sign in.'

it('the restaurant login says to whoever knows the password that the owner has deleted it', async () => {
  const { name, owner } = await app.restaurant()
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  openStaffApp('/restaurant-login', {}, app.browser())
  await findTitle('Restaurant Login')
  fill({ 'Restaurant Name': name, Password: password })
  press('checkbox', 'I am not a robot')
  press('button', 'Sign In')
  await waitForToast('Login Failed', deletedText)
})

it('a manager reads why they are signed out, and is not offered to continue', async () => {
  const { name, owner } = await app.restaurant()
  const login = { restaurantName: name, username: 'boss', password }
  await owner.ok(api.managers.setCredentials, { body: login })
  const manager = app.browser()
  await manager.ok(api.managers.login, { body: login })
  const { whenLoaded } = openStaffApp('/management-dashboard', withoutFigures, manager, QuietSocket)
  await findTitle('Management Portal')
  await whenLoaded()
  await expect.poll(() => QuietSocket.current?.hasList).toBe(true)
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  const closed = { code: closeCodes.signedOut, reason: restaurantDeletedReason }
  act(() => void QuietSocket.current?.dispatchEvent(new CloseEvent('close', closed)))
  await waitForToast('Signed out', deletedText)
  await findTitle('Management Login')
  await whenLoaded()
  expect(screen.queryByRole('button', { name: 'Continue as boss' })).toBeNull()
})

const isSaid = () => screen.findByText(/^Your restaurant is deleted:/, {}, { timeout: 20_000 })

it.each([
  ['/dashboard', 'Welcome back'],
  ['/restaurants', 'Your restaurants'],
  ['/admin', 'Get Set Up'],
  ['/subscribe', 'Choose Your Plan'],
  ['/portal-selection', 'Select Portal'],
  ['/admin-dashboard', 'Admin Portal'],
  ['/admin-dashboard/floor', 'Floor'],
  ['/management-dashboard', 'Management Portal'],
  ['/security', 'Security'],
  ['/waiter', 'Crew Dashboard'],
  ['/waiter?display', 'Crew Dashboard'],
])('%s says that the restaurant is deleted, and how to restore it', async (path, title) => {
  const { name, owner } = await app.restaurant({ tables: ['1'] })
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  openStaffApp(path, withoutFigures, owner, QuietSocket)
  await isSaid()
  await screen.findByRole('heading', { level: 1, name: title }, { timeout: 20_000 })
  expect(
    screen.getAllByRole('link', { name: 'Restore it.' }).map((link) => link.getAttribute('href')),
  ).toEqual(['/admin-dashboard/settings#delete'])
})

it.each(['/subscribe', '/admin', '/dashboard', '/admin-dashboard', '/admin-dashboard/billing'])(
  '%s offers no plan for a deleted restaurant, and says why',
  async (path) => {
    const { name, owner } = await app.restaurant({ tables: ['1'] })
    await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
    const { whenLoaded } = openStaffApp(path, withoutFigures, owner)
    await isSaid()
    const reason = 'Your restaurant is deleted. Please restore it first.'
    await screen.findAllByText(reason, {}, { timeout: 20_000 })
    await whenLoaded()
    const offers =
      /^(Choose (Monthly|Yearly|a Plan)|Subscribe (Now|for .*)|Activate Subscription|Confirm Payment)$/u
    for (const role of ['button', 'link']) expect(screen.queryAllByRole(role, { name: offers })).toEqual([])

    await owner.ok(api.restaurant.restore, {})
    openStaffApp(path, withoutFigures, owner)
    await expect
      .poll(() => ['button', 'link'].some((role) => screen.queryAllByRole(role, { name: offers }).length > 0))
      .toBe(true)
  },
)

it('a plan that was cancelled cannot be resumed while the restaurant is deleted', async () => {
  const { name, owner } = await app.restaurant()
  await subscribeInSandbox(app, owner)
  await owner.ok(api.billing.cancel, {})
  const resume = () => screen.queryByRole('button', { name: 'Resume Subscription' })
  openStaffApp('/subscribe', {}, owner)
  await expect.poll(resume).not.toBeNull()
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  openStaffApp('/subscribe', {}, owner)
  await isSaid()
  await screen.findByRole('button', { name: 'Billing Portal' })
  expect(resume()).toBeNull()
  expect((await owner.ok(api.billing.subscription, {})).actions).toEqual(['portal'])
})

it('a manager’s screen alarms nobody about a deleted restaurant', async () => {
  const { name, owner } = await app.restaurant({ tables: ['1'] })
  openStaffApp('/management-dashboard', withoutFigures, owner, QuietSocket)
  const nobodyListens = () => screen.queryByText('Nobody is listening')
  const tell = (screens: number) =>
    act(() => QuietSocket.current?.receive({ type: 'presence', listening: screens > 0, screens }))
  await screen.findByRole('region', { name: 'Alerts on this device' }, { timeout: 20_000 })
  await expect.poll(() => QuietSocket.current?.hasList).toBe(true)
  tell(0)
  await expect.poll(nobodyListens).not.toBeNull()
  tell(1)
  await expect.poll(nobodyListens).toBeNull()

  // In another tab.
  await owner.ok(api.restaurant.remove, { body: { restaurantName: name } })
  tell(0)
  await isSaid()
  await expect.poll(nobodyListens).toBeNull()
  expect(screen.queryByRole('region', { name: 'Alerts on this device' })).toBeNull()
  const quiet = screen.getByText('No screen is listening')
  expect(quiet.classList.contains('text-late')).toBe(false)
})
