// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type Answers,
  fieldProblem,
  fill,
  findTitle,
  openStaffApp,
  owner,
  press,
} from '../../support/pages/staff-app.tsx'

beforeEach(() => {
  document.documentElement.dataset['mail'] = 'on'
})
afterEach(() => {
  delete document.documentElement.dataset['mail']
})

const answers: Answers = {
  'GET /api/session': [200, { restaurantName: 'The Copper Pot', grants: ['owner'], crewMember: null }],
  'GET /api/auth/user': [200, owner],
  'GET /api/owner-notices': [200, []],
}

it('an owner changes the email address with the code that was mailed to the new one', async () => {
  const opened = openStaffApp('/security', {
    ...answers,
    'POST /api/owner-email': [200, null],
    'POST /api/owner-email/confirm': [200, { email: 'new@copper.example' }],
  })
  await findTitle('Security')
  expect(await screen.findByText('owner@copper.example')).toBeDefined()
  fill({ 'New email address': 'new' })
  press('button', 'Change email address')
  expect(fieldProblem('New email address')).toContain('Please enter a valid email')
  fill({ 'New email address': 'new@copper.example' })
  press('button', 'Change email address')
  const code = await screen.findByLabelText('Code from the email')
  await waitFor(() => expect(document.activeElement).toBe(code))
  fill({ 'Code from the email': '123456' })
  opened.answers['GET /api/auth/user'] = [200, { ...owner, email: 'new@copper.example' }]
  press('button', 'Confirm email address')
  expect(await screen.findByText('new@copper.example')).toBeDefined()
  await waitFor(() => expect(screen.queryByLabelText('Code from the email')).toBeNull())
  expect(opened.calls).toEqual([
    ['POST /api/owner-email', { email: 'new@copper.example' }],
    ['POST /api/owner-email/confirm', { code: '123456' }],
  ])
})

it('the address stays out of the Security page without a mail server', async () => {
  delete document.documentElement.dataset['mail']
  openStaffApp('/security', answers)
  await findTitle('Security')
  expect(await screen.findByRole('region', { name: 'Recovery Codes' })).toBeDefined()
  expect(screen.queryByLabelText('New email address')).toBeNull()
})
