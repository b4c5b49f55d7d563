// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { preload } from '../../../src/client/app/routes.tsx'
import {
  pathsAround,
  getButton,
  device,
  fill,
  openStaffApp,
  ownerSignedIn,
  press,
  pressWithFrozenTime,
  refusalAnswer,
  signedIn,
  findTitle,
  toastText,
} from '../../support/pages/staff-app.tsx'

describe('Restaurant Signup', () => {
  const input = {
    'Restaurant Name': ' The  Copper Pot ',
    Email: ' owner@copper.example ',
    Password: 'lantern',
    'Confirm Password': 'lantern',
  }

  it('creates the account in the time zone of this browser and continues after 1500 ms', async () => {
    await preload('/portal-selection')
    const { calls, answers } = openStaffApp('/restaurant-signup', {
      ...device,
      'POST /api/restaurant-signup': () => {
        Object.assign(answers, ownerSignedIn)
        return [201, signedIn]
      },
    })
    await findTitle('Create Account')
    fill(input)
    press('checkbox', 'I am not a robot')
    await pressWithFrozenTime('Create Account')
    expect(calls).toEqual([
      [
        'POST /api/restaurant-signup',
        {
          restaurantName: 'The Copper Pot',
          email: 'owner@copper.example',
          password: 'lantern',
          timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
        },
      ],
    ])
    expect(screen.getByRole('status').textContent).toBe('Your account is ready. Opening your portals…')
    expect(await pathsAround(1500)).toEqual(['/restaurant-signup', '/portal-selection'])
  })

  it.each([
    [{ 'Confirm Password': 'lanterns' }, 'Password MismatchPasswords do not match', 'Confirm Password'],
    [
      { Password: 'short', 'Confirm Password': 'short' },
      'ErrorPassword must be at least 6 characters',
      'Password',
    ],
    [{ Email: 'owner' }, 'ErrorPlease enter a valid email', 'Email'],
    [{ Email: '' }, 'RequiredPlease enter your email', 'Email'],
    [{ 'Restaurant Name': ' ' }, 'RequiredPlease enter your restaurant name', 'Restaurant Name'],
  ])('refuses %j', async (changes, toast, label) => {
    const { calls } = openStaffApp('/restaurant-signup')
    await findTitle('Create Account')
    fill({ ...input, ...changes })
    press('checkbox', 'I am not a robot')
    press('button', 'Create Account')
    expect(await toastText()).toBe(toast)
    expect(document.activeElement).toBe(screen.getByLabelText(label))
    expect(screen.getByLabelText(label).getAttribute('aria-invalid')).toBe('true')
    expect(calls).toEqual([])
  })

  it('requires the checkbox', async () => {
    openStaffApp('/restaurant-signup')
    await findTitle('Create Account')
    fill(input)
    press('button', 'Create Account')
    expect(await toastText()).toBe('Verification RequiredPlease confirm you are not a robot')
  })

  it('removes the last error when it is submitted', async () => {
    openStaffApp('/restaurant-signup', { 'POST /api/restaurant-signup': () => new Promise(() => {}) })
    await findTitle('Create Account')
    fill({ ...input, 'Confirm Password': 'lanterns' })
    press('checkbox', 'I am not a robot')
    press('button', 'Create Account')
    expect(await toastText()).toBe('Password MismatchPasswords do not match')
    fill(input)
    press('button', 'Create Account')
    await waitFor(() => expect(screen.queryByRole('group')).toBeNull())
  })

  it.each([
    [
      refusalAnswer(409, 'This restaurant name is not available'),
      'Signup FailedThis restaurant name is not available',
    ],
    [[500, ''], 'Signup FailedUnable to create account'],
  ] as const)('shows why it failed: %j', async (answer, toast) => {
    openStaffApp('/restaurant-signup', { 'POST /api/restaurant-signup': [...answer] })
    await findTitle('Create Account')
    fill(input)
    press('checkbox', 'I am not a robot')
    press('button', 'Create Account')
    expect(await toastText()).toBe(toast)
    expect(getButton('Create Account').disabled).toBe(false)
  })
})
