// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { preload } from '../../../src/client/app/routes.tsx'
import { getStored, setStored } from '../../../src/client/lib/browser/browser-storage.ts'
import {
  pathsAround,
  getButton,
  device,
  fill,
  openStaffApp,
  press,
  pressWithFrozenTime,
  fieldProblem,
  refusalAnswer,
  signedIn,
  findTitle,
  toastText,
} from '../../support/pages/staff-app.tsx'

describe('Restaurant Login', () => {
  const input = { 'Restaurant Name': '  The Copper Pot ', Password: ' secret 1 ' }

  it('signs this browser in to the restaurant and continues to the portals after 500 ms', async () => {
    await preload('/portal-selection')
    const { calls } = openStaffApp('/restaurant-login', {
      ...device,
      'POST /api/restaurant-login': [200, signedIn],
    })
    await findTitle('Restaurant Login')
    fill(input)
    press('checkbox', 'I am not a robot')
    await pressWithFrozenTime('Sign In')
    expect(calls).toEqual([
      ['POST /api/restaurant-login', { restaurantName: 'The Copper Pot', password: ' secret 1 ' }],
    ])
    expect(getButton('Signing in…').disabled).toBe(true)
    expect(getStored('restaurantId')).toBe('The Copper Pot')
    expect(await pathsAround(500)).toEqual(['/restaurant-login', '/portal-selection'])
  })

  it('requires the checkbox, in a toast and at the field', async () => {
    const { calls } = openStaffApp('/restaurant-login')
    await findTitle('Restaurant Login')
    fill(input)
    press('button', 'Sign In')
    expect(await toastText()).toBe('Verification RequiredPlease confirm you are not a robot')
    expect(fieldProblem('I am not a robot')).toBe('Please confirm you are not a robot')
    expect(document.activeElement).toBe(screen.getByRole('checkbox'))
    expect(calls).toEqual([])
  })

  it('reports what is missing at each field until it is filled in', async () => {
    openStaffApp('/restaurant-login')
    await findTitle('Restaurant Login')
    fill({ 'Restaurant Name': '   ' })
    press('button', 'Sign In')
    expect(await toastText()).toBe('RequiredPlease enter your restaurant name')
    expect(fieldProblem('Restaurant Name')).toBe('Please enter your restaurant name')
    expect(fieldProblem('Password')).toBe('Please enter your password')
    expect(document.activeElement).toBe(screen.getByLabelText('Restaurant Name'))
    fill({ 'Restaurant Name': 'The' })
    expect(fieldProblem('Restaurant Name')).toBe('')
    expect(fieldProblem('Password')).toBe('Please enter your password')
  })

  it.each([
    [
      'the message of the server',
      refusalAnswer(401, 'Invalid credentials'),
      'Login FailedInvalid credentials',
    ],
    ['a general message', [502, '<html>'], 'Login FailedInvalid username or password'],
  ] as const)('shows %s, and can be retried', async (_, answer, toast) => {
    openStaffApp('/restaurant-login', { 'POST /api/restaurant-login': [...answer] })
    await findTitle('Restaurant Login')
    fill(input)
    press('checkbox', 'I am not a robot')
    press('button', 'Sign In')
    expect(await toastText()).toBe(toast)
    expect(getButton('Sign In').disabled).toBe(false)
    expect(getStored('restaurantId')).toBeNull()
  })

  it('is sent once, however often it is pressed', async () => {
    const answer = Promise.withResolvers<[number, unknown]>()
    const { calls } = openStaffApp('/restaurant-login', {
      'POST /api/restaurant-login': () => answer.promise,
    })
    await findTitle('Restaurant Login')
    fill(input)
    press('checkbox', 'I am not a robot')
    press('button', 'Sign In')
    await waitFor(() => expect(getButton('Signing in…').disabled).toBe(true))
    press('button', 'Signing in…')
    expect(calls).toHaveLength(1)
    answer.resolve(refusalAnswer(401, 'Invalid credentials'))
    await screen.findByRole('button', { name: 'Sign In' })
  })

  it('clears the crew member of another restaurant from this tab', async () => {
    setStored('restaurantId', 'Blue Door')
    setStored('crewMemberName', 'Mia')
    openStaffApp('/restaurant-login', { 'POST /api/restaurant-login': [200, signedIn] })
    await findTitle('Restaurant Login')
    fill(input)
    press('checkbox', 'I am not a robot')
    press('button', 'Sign In')
    await waitFor(() => expect(getStored('restaurantId')).toBe('The Copper Pot'))
    expect(getStored('crewMemberName')).toBeNull()
  })

  it('shows the password on request', async () => {
    openStaffApp('/restaurant-login')
    await findTitle('Restaurant Login')
    press('button', 'Show password')
    expect(screen.getByLabelText<HTMLInputElement>('Password').type).toBe('text')
    press('button', 'Hide password')
    expect(screen.getByLabelText<HTMLInputElement>('Password').type).toBe('password')
  })

  it('leads back to the landing page and on to the sign-up', async () => {
    openStaffApp('/restaurant-login')
    await findTitle('Restaurant Login')
    press('link', 'Sign Up')
    await findTitle('Create Account')
    press('link', 'Sign In')
    await findTitle('Restaurant Login')
    press('link', 'Back')
    await findTitle('Restaurant Service Management')
  })
})
