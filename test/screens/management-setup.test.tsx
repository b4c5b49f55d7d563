// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import {
  type Answers,
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
} from '../support/staff-app.tsx'
import { getStored, setStored } from '../../src/client/lib/browser-storage.ts'
import { preload } from '../../src/client/app/routes.tsx'

const manager: Answers = { 'GET /api/admin/current-user': [200, { ...signedIn, managerUsername: 'sam' }] }

describe('Management Setup', () => {
  const right = { Username: ' sam ', Password: 'lantern', 'Confirm Password': 'lantern' }
  const both: Answers = {
    ...device,
    'POST /api/setup-manager-credentials': [201, signedIn],
    'POST /api/management-login': [200, signedIn],
  }

  it('makes the credentials, signs in with them and goes on after 1500 ms', async () => {
    setStored('restaurantId', 'The Copper Pot')
    setStored('firstTimeSetup', 'true')
    await preload('/management-dashboard')
    const { calls } = openStaffApp('/management-setup', { ...both, ...manager })
    await screen.findByLabelText('Username')
    fill(right)
    await pressWithFrozenTime('Complete Setup')
    const body = { restaurantName: 'The Copper Pot', username: 'sam', password: 'lantern' }
    expect(calls).toEqual([
      ['POST /api/setup-manager-credentials', body],
      ['POST /api/management-login', body],
    ])
    expect(getStored('firstTimeSetup')).toBeNull()
    expect(await pathsAround(1500)).toEqual(['/management-setup', '/management-dashboard'])
  })

  it.each([
    [{ Username: '' }, 'RequiredPlease fill in all fields'],
    [{ Password: '' }, 'RequiredPlease fill in all fields'],
    [{ 'Confirm Password': '' }, 'RequiredPlease fill in all fields'],
    [{ 'Confirm Password': 'lamp' }, 'Password MismatchPasswords do not match. Please try again.'],
  ])('refuses %j', async (wrong, toast) => {
    openStaffApp('/management-setup', device)
    await screen.findByLabelText('Username')
    fill({ ...right, ...wrong })
    press('button', 'Complete Setup')
    expect(await toastText()).toBe(toast)
  })

  it.each<[Answers, string]>([
    [
      {
        'POST /api/setup-manager-credentials': refusalAnswer(
          409,
          'Management credentials are set up already',
        ),
      },
      'ErrorManagement credentials are set up already',
    ],
    [{ 'POST /api/setup-manager-credentials': [500, 'Down'] }, 'ErrorFailed to set up credentials'],
    [{ 'POST /api/management-login': [500, 'Down'] }, 'ErrorFailed to log in'],
  ])('says which step failed: %j', async (wrong, toast) => {
    openStaffApp('/management-setup', { ...both, ...wrong })
    await screen.findByLabelText('Username')
    fill(right)
    press('button', 'Complete Setup')
    expect(await toastText()).toBe(toast)
    expect(getButton('Complete Setup').disabled).toBe(false)
  })

  it.each([
    [409, 'Management Login', 'Management Login'],
    [403, 'Sign in again', 'Restaurant Login'],
  ])('refused with %i leads on with %s', async (status, link, heading) => {
    openStaffApp('/management-setup', {
      ...both,
      'POST /api/setup-manager-credentials': refusalAnswer(status, 'Not now'),
    })
    await screen.findByLabelText('Username')
    fill(right)
    press('button', 'Complete Setup')
    expect(await toastText()).toBe('ErrorNot now')
    await screen.findByRole('link', { name: link })
    press('link', link)
    await findTitle(heading)
  })

  it('makes the credentials once, however often the login after it is tried', async () => {
    const { calls, answers } = openStaffApp('/management-setup', {
      ...both,
      'POST /api/management-login': [500, 'Down'],
    })
    await screen.findByLabelText('Username')
    fill(right)
    press('button', 'Complete Setup')
    await screen.findByText('Failed to log in')
    answers['POST /api/management-login'] = [200, signedIn]
    press('button', 'Complete Setup')
    await waitFor(() => expect(screen.getByRole('status').textContent).not.toBe(''))
    expect(calls.map(([call]) => call)).toEqual([
      'POST /api/setup-manager-credentials',
      'POST /api/management-login',
      'POST /api/management-login',
    ])
  })
})

describe.each([
  ['Management Login', '/management-login', 'POST /api/management-login'],
  ['Crew Login', '/waiter-login', 'POST /api/waiter-login'],
  ['Admin Login', '/demo-login', 'POST /api/demo-login'],
])('%s', (heading, address, call) => {
  it('says why it failed', async () => {
    openStaffApp(address, { [call]: refusalAnswer(429, 'Too many attempts') })
    await findTitle(heading)
    fill({ Username: 'sam', Password: 'lantern' })
    press('button', 'Sign In')
    expect(await toastText()).toBe('Login FailedToo many attempts')
    expect(getButton('Sign In').disabled).toBe(false)
    press('button', 'Sign In')
    await waitFor(() => expect(screen.queryByText('Too many attempts')).toBeNull())
    expect(await toastText()).toBe('Login FailedToo many attempts')
  })

  it('wants both fields', async () => {
    openStaffApp(address)
    await findTitle(heading)
    press('button', 'Sign In')
    expect(await toastText()).toBe('RequiredPlease enter your username')
    expect(fieldProblem('Password')).toBe('Please enter your password')
  })
})
