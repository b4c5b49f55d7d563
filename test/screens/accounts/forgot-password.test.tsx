// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, it, onTestFinished } from 'vitest'
import {
  pathsAround,
  fill,
  openStaffApp,
  currentPath,
  press,
  pressWithFrozenTime,
  fieldProblem,
  refusalAnswer,
  findTitle,
  toastText,
} from '../../support/pages/staff-app.tsx'

const input = {
  'Restaurant Name': ' The Copper Pot ',
  Username: 'sam',
  'Recovery Code': '7k2m 9qxa 4t0c w3re',
  'New Password': 'silver-kettle-7',
  'Confirm New Password': 'silver-kettle-7',
}

it('a manager names the restaurant and the username, and signs in with the new password', async () => {
  const { calls } = openStaffApp('/management-login', { 'POST /api/forgot-password': [200, null] })
  await findTitle('Management Login')
  press('link', 'Forgot password?')
  await findTitle('Forgot Password')
  expect(currentPath()).toBe('/forgot-password?for=manager')
  fill({ ...input, Username: ' ' })
  press('button', 'Set New Password')
  expect(await toastText()).toContain('Please enter your username')
  expect(fieldProblem('Username')).toContain('Please enter your username')
  fill(input)
  await pressWithFrozenTime('Set New Password')
  expect(await pathsAround(1500)).toEqual(['/forgot-password?for=manager', '/management-login'])
  const body = {
    restaurantName: 'The Copper Pot',
    username: 'sam',
    code: '7k2m 9qxa 4t0c w3re',
    password: 'silver-kettle-7',
  }
  expect(calls).toEqual([['POST /api/forgot-password', body]])
})

it('an owner sees what is wrong, and what else helps', async () => {
  const { calls } = openStaffApp('/forgot-password', {
    'POST /api/forgot-password': refusalAnswer(401, 'This recovery code does not fit, or was used already'),
  })
  await findTitle('Forgot Password')
  expect(screen.queryByLabelText('Username')).toBeNull()
  expect(screen.getByText('npm run reset-password')).toBeDefined()
  const { Username: _, 'Restaurant Name': name, ...owner } = input
  fill({ ...owner, 'Restaurant Name or Email': name, 'Confirm New Password': 'another-kettle-7' })
  press('button', 'Set New Password')
  expect(await toastText()).toContain('Passwords do not match')
  expect(calls).toEqual([])
  fill({ 'Confirm New Password': 'silver-kettle-7' })
  press('button', 'Set New Password')
  expect(await screen.findByText('This recovery code does not fit, or was used already')).toBeDefined()
})

it('a link without its token is reported as incomplete', async () => {
  openStaffApp('/reset-password')
  await findTitle('Reset Password')
  expect(screen.getByRole('alert').textContent).toContain('This link is not complete.')
})

/** As the server's page says when mail is set up. */
function setUpMail(): void {
  document.documentElement.dataset['mail'] = 'on'
  onTestFinished(() => {
    delete document.documentElement.dataset['mail']
  })
}

it('an owner gets a link by email, and is told nothing about whether there is such an account', async () => {
  setUpMail()
  const { calls } = openStaffApp('/demo-login', { 'POST /api/forgot-password/link': [200, null] })
  await findTitle('Admin Login')
  press('link', 'Forgot password?')
  await findTitle('Forgot Password')
  expect(screen.queryByLabelText('Recovery Code')).toBeNull()
  press('button', 'Email Me a Link')
  expect(await toastText()).toContain('Please enter your restaurant name')
  fill({ 'Restaurant Name or Email': ' owner@copper.example' })
  press('button', 'Email Me a Link')
  expect(await screen.findByText(/^If there is such an account, a link is on its way/u)).toBeDefined()
  expect(calls).toEqual([['POST /api/forgot-password/link', { restaurantName: 'owner@copper.example' }]])
  press('link', 'Use a recovery code.')
  expect(await screen.findByLabelText('Recovery Code')).toBeDefined()
  press('link', 'Get a link by email.')
  expect(await screen.findByRole('button', { name: 'Email Me a Link' })).toBeDefined()
})

it('too many mails are refused in words', async () => {
  setUpMail()
  const refused = refusalAnswer(429, 'Many emails were sent already. Please try again in 9 minutes.')
  openStaffApp('/forgot-password', { 'POST /api/forgot-password/link': refused })
  await findTitle('Forgot Password')
  fill({ 'Restaurant Name or Email': 'owner@copper.example' })
  press('button', 'Email Me a Link')
  expect(await toastText()).toContain('Please try again in 9 minutes.')
  expect(screen.getByRole('button', { name: 'Email Me a Link' })).toHaveProperty('disabled', false)
})

it('a manager is asked for a recovery code as ever', async () => {
  setUpMail()
  openStaffApp('/forgot-password?for=manager')
  await findTitle('Forgot Password')
  expect(screen.getByLabelText('Recovery Code')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Email Me a Link' })).toBeNull()
})
