// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import {
  around,
  fill,
  openStaffApp,
  path,
  press,
  pressAtRest,
  problemOf,
  refusal,
  title,
  toasted,
} from '../staff-app.tsx'

const typed = {
  'Restaurant Name': ' The Copper Pot ',
  Username: 'sam',
  'Recovery Code': '7k2m 9qxa 4t0c w3re',
  'New Password': 'silver-kettle-7',
  'Confirm New Password': 'silver-kettle-7',
}

it('a manager names the restaurant and the username, and signs in with the new password', async () => {
  const { calls } = openStaffApp('/management-login', { 'POST /api/forgot-password': [200, null] })
  await title('Management Login')
  press('link', 'Forgot password?')
  await title('Forgot Password')
  expect(path()).toBe('/forgot-password?for=manager')
  fill({ ...typed, Username: ' ' })
  press('button', 'Set New Password')
  expect(await toasted()).toContain('Please enter your username')
  expect(problemOf('Username')).toContain('Please enter your username')
  fill(typed)
  await pressAtRest('Set New Password')
  expect(await around(1500)).toEqual(['/forgot-password?for=manager', '/management-login'])
  const body = {
    restaurantName: 'The Copper Pot',
    username: 'sam',
    code: '7k2m 9qxa 4t0c w3re',
    password: 'silver-kettle-7',
  }
  expect(calls).toEqual([['POST /api/forgot-password', body]])
})

it('an owner is told what is wrong, and what else helps', async () => {
  const { calls } = openStaffApp('/forgot-password', {
    'POST /api/forgot-password': refusal(401, 'This recovery code does not fit, or was used already'),
  })
  await title('Forgot Password')
  expect(screen.queryByLabelText('Username')).toBeNull()
  expect(screen.getByText('npm run reset-password')).toBeDefined()
  const { Username: _, 'Restaurant Name': name, ...owner } = typed
  fill({ ...owner, 'Restaurant Name or Email': name, 'Confirm New Password': 'another-kettle-7' })
  press('button', 'Set New Password')
  expect(await toasted()).toContain('Passwords do not match')
  expect(calls).toEqual([])
  fill({ 'Confirm New Password': 'silver-kettle-7' })
  press('button', 'Set New Password')
  expect(await screen.findByText('This recovery code does not fit, or was used already')).toBeDefined()
})

it('a link without its token is said to be incomplete', async () => {
  openStaffApp('/reset-password')
  await title('Reset Password')
  expect(screen.getByRole('alert').textContent).toContain('This link is not complete.')
})
