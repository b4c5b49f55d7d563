// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../support/app.ts'
import { openStaffApp, press, pressWhenReady, waitForToast } from '../support/pages/staff-app.tsx'
import { smallPng } from '../support/reading/qr-reader.ts'
import type { Restaurant } from '../support/restaurants/busy-restaurant.ts'
import { subscribeInSandbox } from '../support/stripe/sandbox-subscription.ts'

const app = setUpApp()
let restaurant: Restaurant
beforeEach(async () => {
  restaurant = await app.restaurant({ tables: ['1', '2', '3', '4', '5', '6', '7', '8', '9'] })
  await subscribeInSandbox(app, restaurant.owner)
})

async function generateCode(): Promise<void> {
  const body = { restaurantId: restaurant.name, qrCodeDataUrl: smallPng }
  await restaurant.owner.ok(api.qr.generate, { body })
}

async function regenerate(): Promise<void> {
  press('button', 'Regenerate')
  await pressWhenReady('Regenerate', await screen.findByRole('dialog'))
}

describe('the QR code', () => {
  it('reports that it cannot be deleted', async () => {
    await generateCode()
    const answers = { 'DELETE /api/qr-codes/me': [500, 'Down'] as [number, string] }
    openStaffApp('/admin', answers, restaurant.owner)
    await screen.findByRole('button', { name: 'Regenerate' })
    await regenerate()
    await waitForToast('Error', 'Failed to delete QR code')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(screen.getByRole('button', { name: 'Regenerate' })).toBeTruthy()
  })

  it('is shown as deleted where only the answer was lost', async () => {
    await generateCode()
    const loseAnswer = async (): Promise<never> => {
      await restaurant.owner.ok(api.qr.remove, {})
      throw new TypeError('Failed to fetch')
    }
    openStaffApp('/admin', { 'DELETE /api/qr-codes/me': loseAnswer }, restaurant.owner)
    await screen.findByRole('button', { name: 'Regenerate' })
    await regenerate()
    await waitForToast('Error')
    await screen.findByText('No QR Code Yet')
  })

  it('shows why the server could not delete it', async () => {
    await generateCode()
    const body = { code: 'unavailable', message: 'The server cannot reach its data right now.' }
    openStaffApp('/admin', { 'DELETE /api/qr-codes/me': [503, body] }, restaurant.owner)
    await screen.findByRole('button', { name: 'Regenerate' })
    await regenerate()
    await waitForToast('Error', body.message)
  })

  it('cannot be generated without a subscription, and says so', async () => {
    const { owner } = await app.restaurant()
    openStaffApp('/admin', {}, owner)
    const generate = await screen.findByRole<HTMLButtonElement>('button', { name: 'Generate QR Code' })
    expect(generate.disabled).toBe(true)
    const reason = document.getElementById(generate.getAttribute('aria-describedby') ?? '')
    expect(reason?.textContent).toBe('You need an active subscription to generate a QR code.')
  })

  it('reports that it cannot be loaded', async () => {
    const user = 'GET /api/admin/current-user'
    const { answers } = openStaffApp('/admin', { [user]: [503, ''] }, restaurant.owner)
    await screen.findByText('The QR code could not be loaded.')
    delete answers[user]
    press('button', 'Try again')
    await screen.findByText('No QR Code Yet')
  })
})

it('reports that the table cards cannot be loaded', async () => {
  const { answers } = openStaffApp('/admin', { 'GET /api/qr-codes/sheet': [500, ''] }, restaurant.owner)
  await screen.findByRole('link', { name: 'Table Cards' })
  press('link', 'Table Cards')
  await screen.findByText('The table cards could not be loaded.')
  delete answers['GET /api/qr-codes/sheet']
  press('button', 'Try again')
  await screen.findByText(/^9 cards on 2 pages\./)
})

// The browser would style all cards again for each word, which takes seconds where they are laid out for paper.
it('measures the words of the table cards while nothing else of the page changes', async () => {
  openStaffApp('/admin/cards', {}, restaurant.owner)
  await screen.findByText(/^9 cards on 2 pages\./)
  const changes: MutationRecord[] = []
  const observer = new MutationObserver((records) => changes.push(...records))
  observer.observe(document.body, { childList: true })
  onTestFinished(() => observer.disconnect())
  const language = screen.getByLabelText('Language of the cards')
  fireEvent.change(language, { target: { value: 'de' } })
  expect(await screen.findAllByText('Scannen und Bedienung rufen')).toHaveLength(9)
  expect(changes).toEqual([])
})

it('shows the short link of a table, and replaces it', async () => {
  const { owner } = restaurant
  const { answers } = openStaffApp('/admin/cards', {}, owner)
  const tables = await screen.findByLabelText('Tables')
  fireEvent.change(tables, { target: { value: '7' } })
  const section = await screen.findByRole('region', { name: 'Short link of table 7' })
  const link = (): string => section.querySelector('strong')?.textContent ?? ''
  const first = link()
  expect(first).toMatch(/\/t\/[2-9A-Y]{4}-[2-9A-Y]{4}$/)
  const card = (): HTMLElement => screen.getByRole('article', { name: 'Card of table 7' })
  expect(card().textContent).toContain(`or open ${first}`)

  const replace = async (): Promise<void> => {
    press('button', 'Replace Link')
    await pressWhenReady('Replace', await screen.findByRole('dialog', { name: 'Replace this short link?' }))
  }
  const { cards } = await owner.ok(api.qr.sheet, {})
  const { id } = cards.find(({ tableNumber }) => tableNumber === '7') ?? { id: '' }
  answers[`DELETE /api/short-links/${id}`] = [500, '']
  await replace()
  await waitForToast('Error', 'Failed to replace the short link')
  expect(link()).toBe(first)

  delete answers[`DELETE /api/short-links/${id}`]
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await replace()
  await waitForToast('Success', 'Short link replaced')
  await waitFor(() => expect(link()).not.toBe(first))
  expect(card().textContent).toContain(`or open ${link()}`)
})

describe('an owner who was signed out in another tab', () => {
  it.each<[where: string, does: string, ready: string, act: () => unknown, comesBackTo: string]>([
    ['/dashboard', 'goes to Get Set Up', 'Get Set Up', () => press('link', 'Get Set Up'), '/admin'],
    [
      '/dashboard',
      'goes to the subscription',
      'Manage Subscription',
      () => press('link', 'Manage Subscription'),
      '/subscribe',
    ],
    ['/admin', 'goes home', 'Home', () => press('link', 'Home'), '/'],
    ['/admin', 'deletes the QR code', 'Regenerate', regenerate, '/admin'],
    [
      '/subscribe',
      'cancels the subscription',
      'Cancel Subscription',
      () => press('button', 'Cancel Subscription'),
      '/subscribe',
    ],
    [
      '/subscribe',
      'opens the billing portal',
      'Billing Portal',
      () => press('button', 'Billing Portal'),
      '/subscribe',
    ],
  ])('on %s, and %s: sees a notice, and comes back after the sign-in', async (path, _, ready, act, back) => {
    const { owner } = restaurant
    await generateCode()
    const { navigations, refusals, whenLoaded } = openStaffApp(path, {}, owner)
    await screen.findByText(ready)
    await whenLoaded()
    await owner.send('GET', '/api/logout')
    await act()
    await waitForToast('Unauthorized', 'You are logged out. Logging in again...')
    expect(refusals.some((refusal) => refusal.startsWith('401'))).toBe(true)
    const signIn = `/api/login?returnTo=${encodeURIComponent(back)}`
    await expect.poll(() => navigations).toEqual([signIn])
    const { status, headers } = await owner.send('GET', signIn)
    expect([status, headers.get('location')]).toEqual([
      302,
      `/demo-login?returnTo=${encodeURIComponent(back)}`,
    ])
  })
})
