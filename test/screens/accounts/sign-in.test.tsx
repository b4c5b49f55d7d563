// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { preload } from '../../../src/client/app/routes.tsx'
import { getStored, removeStored, setStored } from '../../../src/client/lib/browser/browser-storage.ts'
import {
  type Answers,
  pathsAround,
  getButton,
  fieldProblem,
  fill,
  device,
  openStaffApp,
  ownerSignedIn,
  currentPath,
  press,
  pressWithFrozenTime,
  refusalAnswer,
  signedIn,
  findTitle,
  titleWithFrozenTime,
  toastText,
} from '../../support/pages/staff-app.tsx'

const manager: Answers = { 'GET /api/admin/current-user': [200, { ...signedIn, managerUsername: 'sam' }] }

it('continues from the Management Login to the dashboard after 500 ms', async () => {
  await preload('/management-dashboard')
  const { calls } = openStaffApp('/management-login', {
    ...manager,
    'POST /api/management-login': [200, signedIn],
  })
  await findTitle('Management Login')
  fill({ Username: '  sam ', Password: 'lantern' })
  await pressWithFrozenTime('Sign In')
  expect(calls).toEqual([['POST /api/management-login', { username: 'sam', password: 'lantern' }]])
  expect(getStored('restaurantId')).toBe('The Copper Pot')
  expect(await pathsAround(500)).toEqual(['/management-login', '/management-dashboard'])
})

it('continues from the Admin Login to the Admin Portal after 500 ms, with the username as typed', async () => {
  // While time stands still, nothing is loaded: the frame of the portal loads its first section by itself.
  await Promise.all([
    preload('/admin-dashboard'),
    import('../../../src/client/features/admin/admin-portal.tsx'),
  ])
  const { calls, answers } = openStaffApp('/demo-login', {
    'POST /api/demo-login': () => {
      Object.assign(answers, ownerSignedIn)
      return [200, signedIn]
    },
  })
  await findTitle('Admin Login')
  fill({ Username: '  sam ', Password: 'lantern' })
  await pressWithFrozenTime('Sign In')
  expect(calls).toEqual([['POST /api/demo-login', { username: '  sam ', password: 'lantern' }]])
  expect(await pathsAround(500)).toEqual(['/demo-login', '/admin-dashboard'])
  await titleWithFrozenTime('Admin Portal')
})

it('asks at the Admin Login which restaurant is meant, where there are several', async () => {
  const { calls } = openStaffApp('/demo-login', {
    'POST /api/demo-login': (body) =>
      Object.hasOwn(Object(body), 'restaurantName')
        ? [200, signedIn]
        : [
            401,
            {
              code: 'restaurant_required',
              message: 'Please choose your restaurant',
              restaurants: ['The Blue Door', 'The Copper Pot'],
            },
          ],
  })
  await findTitle('Admin Login')
  fill({ Username: 'sam@copper.example', Password: 'lantern' })
  press('button', 'Sign In')
  const choice = await screen.findByLabelText('Restaurant')
  expect(document.activeElement).toBe(choice)
  await waitFor(() => expect(getButton('Sign In').disabled).toBe(false))
  press('button', 'Sign In')
  expect(await toastText()).toBe('RequiredPlease choose your restaurant')
  fill({ Restaurant: 'The Copper Pot' })
  press('button', 'Sign In')
  await waitFor(() => expect(getStored('restaurantId')).toBe('The Copper Pot'))
  const body = { username: 'sam@copper.example', password: 'lantern' }
  expect(calls).toEqual([
    ['POST /api/demo-login', body],
    ['POST /api/demo-login', { ...body, restaurantName: 'The Copper Pot' }],
  ])
})

it('stores the crew member who signed in', async () => {
  openStaffApp('/waiter-login', {
    'POST /api/waiter-login': [
      200,
      { restaurantId: 'The Copper Pot', crewMemberId: 'c1', crewMemberName: 'Mia', role: 'Host' },
    ],
  })
  await findTitle('Crew Login')
  fill({ Username: 'mia', Password: 'lantern' })
  press('button', 'Sign In')
  await waitFor(() => expect(getStored('crewMemberId')).toBe('c1'))
  expect([getStored('restaurantId'), getStored('crewMemberName'), getStored('crewRole')]).toEqual([
    'The Copper Pot',
    'Mia',
    'Host',
  ])
})

describe('Admin Login of a signed-in owner', () => {
  it.each([
    ['', 'Admin Portal', '/admin-dashboard'],
    ['?returnTo=%2Fadmin', 'Get Set Up', '/admin'],
    ['?returnTo=%2Fadmin%3Ftab%3Dcrew%26find%3DMia', 'Get Set Up', '/admin?tab=crew&find=Mia'],
    ['?returnTo=https%3A%2F%2Fevil.example%2Fadmin', 'Admin Portal', '/admin-dashboard'],
    ['?returnTo=%2Fapi%2Flogout', 'Admin Portal', '/admin-dashboard'],
  ])('continues without the password: %s', async (search, heading, next) => {
    const { calls } = openStaffApp(`/demo-login${search}`, ownerSignedIn)
    await findTitle('Admin Login')
    expect(screen.getByText('For system administrators and demo account access')).toBeTruthy()
    press('button', 'Continue as The Copper Pot')
    await findTitle(heading)
    expect(currentPath()).toBe(next)
    expect(getStored('restaurantId')).toBe('The Copper Pot')
    expect(calls).toEqual([])
  })
})

describe('a session that lives', () => {
  const session = { restaurantName: 'The Copper Pot', crewMember: null }

  it.each([
    ['/management-login', { grants: ['manager'], manager: { username: 'sam' } }, 'sam', 'Management Portal'],
    ['/management-login', { grants: ['owner'] }, 'The Copper Pot', 'Management Portal'],
  ])('goes on without a password: %s %j', async (address, grants, name, heading) => {
    // In a tab that was not signed in itself.
    removeStored('restaurantId')
    const answers: Answers = { ...manager, 'GET /api/session': [200, { ...session, ...grants }] }
    const { calls } = openStaffApp(address, answers)
    fireEvent.click(await screen.findByRole('button', { name: `Continue as ${name}` }))
    await findTitle(heading)
    expect(getStored('restaurantId')).toBe('The Copper Pot')
    expect(calls).toEqual([])
  })

  it('of a device does not open the Management Portal', async () => {
    setStored('restaurantId', 'The Copper Pot')
    const { whenLoaded } = openStaffApp('/management-login', device)
    await screen.findByRole('button', { name: 'Sign In' })
    await whenLoaded()
    expect(screen.queryByRole('button', { name: /^Continue as/ })).toBeNull()
  })
})

describe('Management Login in a browser that is not signed in to the restaurant', () => {
  const words = 'Please sign in to your restaurant first: this browser does not know which one is yours.'
  const wayTo = async (name: string): Promise<string | null> =>
    (await screen.findByRole('link', { name })).getAttribute('href')

  it('leads to Restaurant Login, and that or a device’s code back', async () => {
    const back =
      '/management-login?returnTo=%2Fmanagement-dashboard%2Fanalytics%3Fday%3D2026-11-27%26by%3Dhour'
    openStaffApp(back)
    await screen.findByText(words)
    expect(await wayTo('Restaurant Login')).toBe(
      `/restaurant-login?${new URLSearchParams({ returnTo: back })}`,
    )
    press('link', 'Restaurant Login')
    await findTitle('Restaurant Login')
    expect(await wayTo('Sign in with a code')).toBe(`/device?${new URLSearchParams({ returnTo: back })}`)
    press('link', 'Sign in with a code')
    await findTitle('Sign in this device')
    expect(await wayTo('Back')).toBe(`/restaurant-login?${new URLSearchParams({ returnTo: back })}`)
  })

  it('says so once it is not any more', async () => {
    const refused = refusalAnswer(400, 'Please sign in to your restaurant first')
    const { answers } = openStaffApp('/management-login', {
      ...device,
      'POST /api/management-login': [400, { ...Object(refused[1]), code: 'invalid' }],
    })
    await findTitle('Management Login')
    fill({ Username: 'sam', Password: 'lantern' })
    expect(screen.queryByText(words)).toBeNull()
    delete answers['GET /api/session']
    press('button', 'Sign In')
    await screen.findByText(words)
    expect(await toastText()).toBe('Login FailedPlease sign in to your restaurant first')
    expect(await wayTo('Restaurant Login')).toBe('/restaurant-login?returnTo=%2Fmanagement-login')
  })
})

describe.each([
  ['Management Login', '/management-login', 'POST /api/management-login'],
  ['Crew Login', '/waiter-login', 'POST /api/waiter-login'],
  ['Admin Login', '/demo-login', 'POST /api/demo-login'],
])('%s', (heading, address, call) => {
  it('shows why it failed', async () => {
    const refusal = refusalAnswer(429, 'Too many attempts')
    const { answers } = openStaffApp(address, { [call]: refusal })
    await findTitle(heading)
    fill({ Username: 'sam', Password: 'lantern' })
    press('button', 'Sign In')
    expect(await toastText()).toBe('Login FailedToo many attempts')
    await waitFor(() => expect(getButton('Sign In').disabled).toBe(false))
    const again = Promise.withResolvers<typeof refusal>()
    answers[call] = () => again.promise
    press('button', 'Sign In')
    await waitFor(() => expect(screen.queryByText('Too many attempts')).toBeNull())
    again.resolve(refusal)
    expect(await toastText()).toBe('Login FailedToo many attempts')
  })

  it('requires both fields', async () => {
    openStaffApp(address)
    await findTitle(heading)
    press('button', 'Sign In')
    expect(await toastText()).toBe('RequiredPlease enter your username')
    expect(fieldProblem('Password')).toBe('Please enter your password')
  })
})
