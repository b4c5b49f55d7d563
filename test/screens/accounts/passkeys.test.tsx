// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { openStaffApp, findTitle } from '../../support/pages/staff-app.tsx'

afterEach(() => {
  delete document.documentElement.dataset['passkeys']
})

const signInButton = () => screen.queryByRole('button', { name: 'Sign in with a passkey' })

it.each([
  ['/demo-login', 'Admin Login'],
  ['/management-login', 'Management Login'],
])('offers no passkeys at %s unless the page supports them', async (path, heading) => {
  vi.stubGlobal('PublicKeyCredential', {})
  openStaffApp(path)
  await findTitle(heading)
  expect(signInButton()).toBeNull()
})

it('offers passkeys if they are for the host of the page', async () => {
  vi.stubGlobal('PublicKeyCredential', {})
  document.documentElement.dataset['passkeys'] = location.hostname
  openStaffApp('/demo-login')
  await findTitle('Admin Login')
  expect(signInButton()).not.toBeNull()
})

it('explains on the Security page why they are unavailable', async () => {
  const unavailable = 'Passkeys need an address with a name.'
  openStaffApp('/security', {
    'GET /api/session': [200, { restaurantName: 'The Copper Pot', grants: ['manager'], crewMember: null }],
    'GET /api/passkeys': [200, { unavailable, passkeys: [] }],
  })
  await findTitle('Security')
  expect(await screen.findByText(unavailable)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Add a passkey' })).toBeNull()
})
