// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { preload } from '../../../src/client/app/routes.tsx'
import { getStored, setStored } from '../../../src/client/lib/browser/browser-storage.ts'
import {
  type Answers,
  pathsAround,
  getButton,
  device,
  fill,
  openStaffApp,
  press,
  pressWhenReady,
  pressWithFrozenTime,
  refusalAnswer,
  signedIn,
  findTitle,
  toastText,
} from '../../support/pages/staff-app.tsx'

const manager: Answers = { 'GET /api/admin/current-user': [200, { ...signedIn, managerUsername: 'sam' }] }

describe('Management Setup', () => {
  const input = { Username: ' sam ', Password: 'lantern', 'Confirm Password': 'lantern' }
  const answers: Answers = {
    ...device,
    'POST /api/setup-manager-credentials': [201, signedIn],
    'POST /api/management-login': [200, signedIn],
  }

  it('creates the credentials, signs in with them and continues after 1500 ms', async () => {
    setStored('restaurantId', 'The Copper Pot')
    setStored('firstTimeSetup', 'true')
    await preload('/management-dashboard')
    const { calls } = openStaffApp('/management-setup', { ...answers, ...manager })
    await screen.findByLabelText('Username')
    fill(input)
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
  ])('refuses %j', async (changes, toast) => {
    openStaffApp('/management-setup', device)
    await screen.findByLabelText('Username')
    fill({ ...input, ...changes })
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
  ])('shows which step failed: %j', async (changes, toast) => {
    openStaffApp('/management-setup', { ...answers, ...changes })
    await screen.findByLabelText('Username')
    fill(input)
    press('button', 'Complete Setup')
    expect(await toastText()).toBe(toast)
    await waitFor(() => expect(getButton('Complete Setup').disabled).toBe(false))
  })

  it.each([
    [409, 'Management Login', 'Management Login'],
    [403, 'Sign in again', 'Restaurant Login'],
  ])('offers, when refused with %i, to continue at %s', async (status, link, heading) => {
    openStaffApp('/management-setup', {
      ...answers,
      'POST /api/setup-manager-credentials': refusalAnswer(status, 'Not now'),
    })
    await screen.findByLabelText('Username')
    fill(input)
    press('button', 'Complete Setup')
    expect(await toastText()).toBe('ErrorNot now')
    await screen.findByRole('link', { name: link })
    press('link', link)
    await findTitle(heading)
  })

  it('creates the credentials once, even if the login after it is retried', async () => {
    const app = openStaffApp('/management-setup', {
      ...answers,
      'POST /api/management-login': [500, 'Down'],
    })
    await screen.findByLabelText('Username')
    fill(input)
    press('button', 'Complete Setup')
    await screen.findByText('Failed to log in')
    app.answers['POST /api/management-login'] = [200, signedIn]
    await pressWhenReady('Complete Setup')
    await waitFor(() => expect(screen.getByRole('status').textContent).not.toBe(''))
    expect(app.calls.map(([call]) => call)).toEqual([
      'POST /api/setup-manager-credentials',
      'POST /api/management-login',
      'POST /api/management-login',
    ])
  })
})
