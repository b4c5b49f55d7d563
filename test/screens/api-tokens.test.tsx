// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { NewApiToken } from '#contract/accounts/api-tokens.ts'
import { api } from '#contract/api.ts'
import { setUpApp } from '../support/app.ts'
import {
  emptyOverview,
  fill,
  openStaffApp,
  press,
  pressWhenReady,
  waitForToast,
} from '../support/pages/staff-app.tsx'

const app = setUpApp()

const card = (): HTMLElement => screen.getByRole('region', { name: 'API Tokens' })

it('an owner makes a token for other software, sees it once, and revokes it', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  openStaffApp('/admin-dashboard/people', { 'GET /api/analytics/overview': emptyOverview }, owner)
  await screen.findByRole('button', { name: 'Make Token' }, { timeout: 20_000 })
  expect(await within(card()).findByText('No tokens yet.')).toBeDefined()
  expect(within(card()).getByRole('link', { name: 'What software can do with it' })).toHaveProperty(
    'pathname',
    '/developers',
  )

  press('button', 'Make Token')
  await waitForToast('Please name the software that will use it')
  fill({ Software: 'Till' })
  const reading = within(card()).getByLabelText('See what guests ask for, as it happens')
  fireEvent.click(reading)
  press('button', 'Make Token')
  await waitForToast('Please choose what it may do')
  fireEvent.click(reading)
  fireEvent.click(within(card()).getByLabelText('Read and download figures'))
  press('button', 'Make Token')

  const made = within(await within(card()).findByRole('group', { name: 'The token of Till.' }))
  const token = made.getByText(/^tableside_/u).textContent ?? ''
  expect(made.getByRole('status').textContent).not.toContain(token)
  await waitFor(() =>
    expect(within(card()).getByRole('list').textContent).toContain(
      'See what guests ask for, as it happens · Read and download figures',
    ),
  )
  expect(within(card()).getByText(/^Never used · until /u)).toBeDefined()
  const answer = await fetch(`${app.url}/api/token`, { headers: { authorization: `Bearer ${token}` } })
  expect(await answer.json()).toMatchObject({ name: 'Till', scopes: ['requests:read', 'figures:read'] })

  press('button', 'Revoke Till')
  await pressWhenReady('Revoke')
  await waitForToast('The token of Till was revoked')
  expect(await within(card()).findByText('No tokens yet.')).toBeDefined()
  await waitFor(() => expect(within(card()).queryByRole('group', { name: 'The token of Till.' })).toBeNull())
  expect(await owner.ok(api.apiTokens.list, {})).toEqual([])
  await expect.poll(() => document.activeElement?.getAttribute('name')).toBe('name')
})

it('what somebody else has revoked meanwhile goes from the list when it cannot be revoked again', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const body = { name: 'Till', scopes: ['requests:read' as const], days: null }
  const { apiToken } = await owner.ok(api.apiTokens.create, { body })
  openStaffApp('/admin-dashboard/people', { 'GET /api/analytics/overview': emptyOverview }, owner)
  await screen.findByRole('button', { name: 'Revoke Till' }, { timeout: 20_000 })
  await owner.ok(api.apiTokens.remove, { params: { id: apiToken.id } })
  press('button', 'Revoke Till')
  await pressWhenReady('Revoke')
  await waitForToast('Token not found')
  expect(await within(card()).findByText('No tokens yet.')).toBeDefined()
})

it('lists a token whose answer was lost, so that it can be revoked', async () => {
  const { owner } = await app.restaurant({ tables: ['1'] })
  const { answers } = openStaffApp(
    '/admin-dashboard/people',
    { 'GET /api/analytics/overview': emptyOverview },
    owner,
  )
  await screen.findByRole('button', { name: 'Make Token' }, { timeout: 20_000 })
  const loseAnswer = async (body: unknown): Promise<never> => {
    await owner.ok(api.apiTokens.create, { body: v.parse(NewApiToken, body) })
    throw new TypeError('Failed to fetch')
  }
  answers['POST /api/tokens'] = loseAnswer
  fill({ Software: 'Till' })
  press('button', 'Make Token')
  await waitForToast('Failed to make the token')
  expect(await within(card()).findByRole('button', { name: 'Revoke Till' })).toBeDefined()

  // Nor could the list be read then.
  answers['GET /api/tokens'] = () => {
    throw new TypeError('Failed to fetch')
  }
  fill({ Software: 'Display' })
  await pressWhenReady('Make Token')
  await waitFor(async () => expect(await owner.ok(api.apiTokens.list, {})).toHaveLength(2))
  await waitFor(() => expect(screen.getByRole('button', { name: 'Make Token' })).toBeDefined())
  delete answers['GET /api/tokens']
  delete answers['POST /api/tokens']
  fill({ Software: 'Printer' })
  await pressWhenReady('Make Token')
  expect(await within(card()).findByRole('button', { name: 'Revoke Printer' })).toBeDefined()
  expect(await within(card()).findByRole('button', { name: 'Revoke Display' })).toBeDefined()
})
