// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import {
  type Answers,
  device,
  fill,
  holdTime,
  openStaffApp,
  ownerSignedIn,
  pass,
  path,
  press,
  refusal,
  title,
  toasted,
} from '../../test/staff-app.tsx'
import { recall, remember } from './lib/browser-storage.ts'
import { preload } from './routes.tsx'

const signedIn = { restaurantName: 'The Copper Pot' }
const manager: Answers = { 'GET /api/admin/current-user': [200, { ...signedIn, managerUsername: 'sam' }] }

const button = (name: string): HTMLButtonElement => screen.getByRole('button', { name })
const problemOf = (label: string): string =>
  (screen.getByLabelText(label).getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join(' ')

/** Presses the button on a screen where time stands still, and waits until its answer was used. */
async function pressAtRest(name: string): Promise<void> {
  holdTime()
  press('button', name)
  for (let turn = 0; turn < 20; turn += 1) await pass(0)
}

/** Where the screen is just before the delay is over, and just after. */
async function around(ms: number): Promise<string[]> {
  await pass(ms - 5)
  const before = path()
  await pass(10)
  return [before, path()]
}

describe('Restaurant Login', () => {
  const right = { 'Restaurant Name': '  The Copper Pot ', Password: ' secret 1 ' }

  it('signs this browser in to the restaurant and goes on to the portals after 500 ms', async () => {
    await preload('/portal-selection')
    const { calls } = openStaffApp('/restaurant-login', {
      ...device,
      'POST /api/restaurant-login': [200, signedIn],
    })
    await title('Restaurant Login')
    fill(right)
    press('checkbox', 'I am not a robot')
    await pressAtRest('Sign In')
    expect(calls).toEqual([
      ['POST /api/restaurant-login', { restaurantName: 'The Copper Pot', password: ' secret 1 ' }],
    ])
    expect(button('Signing in…').disabled).toBe(true)
    expect(recall('restaurantId')).toBe('The Copper Pot')
    expect(await around(500)).toEqual(['/restaurant-login', '/portal-selection'])
  })

  it('wants the tick, in a toast and at the box', async () => {
    const { calls } = openStaffApp('/restaurant-login')
    await title('Restaurant Login')
    fill(right)
    press('button', 'Sign In')
    expect(await toasted()).toBe('Verification RequiredPlease confirm you are not a robot')
    expect(problemOf('I am not a robot')).toBe('Please confirm you are not a robot')
    expect(document.activeElement).toBe(screen.getByRole('checkbox'))
    expect(calls).toEqual([])
  })

  it('names what is missing at its field, and forgets it when it is typed', async () => {
    openStaffApp('/restaurant-login')
    await title('Restaurant Login')
    fill({ 'Restaurant Name': '   ' })
    press('button', 'Sign In')
    expect(await toasted()).toBe('RequiredPlease enter your restaurant name')
    expect(problemOf('Restaurant Name')).toBe('Please enter your restaurant name')
    expect(problemOf('Password')).toBe('Please enter your password')
    expect(document.activeElement).toBe(screen.getByLabelText('Restaurant Name'))
    fill({ 'Restaurant Name': 'The' })
    expect(problemOf('Restaurant Name')).toBe('')
    expect(problemOf('Password')).toBe('Please enter your password')
  })

  it.each([
    ['what the server says', refusal(401, 'Invalid credentials'), 'Login FailedInvalid credentials'],
    ['that something was wrong', [502, '<html>'], 'Login FailedInvalid username or password'],
  ] as const)('shows %s, and can be tried again', async (_, answer, toast) => {
    openStaffApp('/restaurant-login', { 'POST /api/restaurant-login': [...answer] })
    await title('Restaurant Login')
    fill(right)
    press('checkbox', 'I am not a robot')
    press('button', 'Sign In')
    expect(await toasted()).toBe(toast)
    expect(button('Sign In').disabled).toBe(false)
    expect(recall('restaurantId')).toBeNull()
  })

  it('is sent once, however often it is pressed', async () => {
    const answer = Promise.withResolvers<[number, unknown]>()
    const { calls } = openStaffApp('/restaurant-login', {
      'POST /api/restaurant-login': () => answer.promise,
    })
    await title('Restaurant Login')
    fill(right)
    press('checkbox', 'I am not a robot')
    press('button', 'Sign In')
    await waitFor(() => expect(button('Signing in…').disabled).toBe(true))
    press('button', 'Signing in…')
    expect(calls).toHaveLength(1)
    answer.resolve(refusal(401, 'Invalid credentials'))
    await screen.findByRole('button', { name: 'Sign In' })
  })

  it('forgets in this tab who worked at another restaurant', async () => {
    remember('restaurantId', 'Blue Door')
    remember('crewMemberName', 'Mia')
    openStaffApp('/restaurant-login', { 'POST /api/restaurant-login': [200, signedIn] })
    await title('Restaurant Login')
    fill(right)
    press('checkbox', 'I am not a robot')
    press('button', 'Sign In')
    await waitFor(() => expect(recall('restaurantId')).toBe('The Copper Pot'))
    expect(recall('crewMemberName')).toBeNull()
  })

  it('shows the password on request', async () => {
    openStaffApp('/restaurant-login')
    await title('Restaurant Login')
    press('button', 'Show password')
    expect(screen.getByLabelText<HTMLInputElement>('Password').type).toBe('text')
    press('button', 'Hide password')
    expect(screen.getByLabelText<HTMLInputElement>('Password').type).toBe('password')
  })

  it('leads back to the landing page and on to the sign-up', async () => {
    openStaffApp('/restaurant-login')
    await title('Restaurant Login')
    press('link', 'Sign Up')
    await title('Create Account')
    press('link', 'Sign In')
    await title('Restaurant Login')
    press('link', 'Back')
    await title('Restaurant Service Management')
  })
})

describe('Restaurant Signup', () => {
  const right = {
    'Restaurant Name': ' The  Copper Pot ',
    Email: ' owner@copper.example ',
    Password: 'lantern',
    'Confirm Password': 'lantern',
  }

  it('makes the account in the time zone of this browser and goes on after 1500 ms', async () => {
    await preload('/portal-selection')
    const { calls, answers } = openStaffApp('/restaurant-signup', {
      ...device,
      'POST /api/restaurant-signup': () => {
        Object.assign(answers, ownerSignedIn)
        return [201, signedIn]
      },
    })
    await title('Create Account')
    fill(right)
    press('checkbox', 'I am not a robot')
    await pressAtRest('Create Account')
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
    expect(await around(1500)).toEqual(['/restaurant-signup', '/portal-selection'])
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
  ])('refuses %j', async (wrong, toast, label) => {
    const { calls } = openStaffApp('/restaurant-signup')
    await title('Create Account')
    fill({ ...right, ...wrong })
    press('checkbox', 'I am not a robot')
    press('button', 'Create Account')
    expect(await toasted()).toBe(toast)
    expect(document.activeElement).toBe(screen.getByLabelText(label))
    expect(screen.getByLabelText(label).getAttribute('aria-invalid')).toBe('true')
    expect(calls).toEqual([])
  })

  it('wants the tick', async () => {
    openStaffApp('/restaurant-signup')
    await title('Create Account')
    fill(right)
    press('button', 'Create Account')
    expect(await toasted()).toBe('Verification RequiredPlease confirm you are not a robot')
  })

  it('puts the last complaint away when it is sent', async () => {
    openStaffApp('/restaurant-signup', { 'POST /api/restaurant-signup': () => new Promise(() => {}) })
    await title('Create Account')
    fill({ ...right, 'Confirm Password': 'lanterns' })
    press('checkbox', 'I am not a robot')
    press('button', 'Create Account')
    expect(await toasted()).toBe('Password MismatchPasswords do not match')
    fill(right)
    press('button', 'Create Account')
    await waitFor(() => expect(screen.queryByRole('group')).toBeNull())
  })

  it.each([
    [
      refusal(409, 'This restaurant name is not available'),
      'Signup FailedThis restaurant name is not available',
    ],
    [[500, ''], 'Signup FailedUnable to create account'],
  ] as const)('says why it failed: %j', async (answer, toast) => {
    openStaffApp('/restaurant-signup', { 'POST /api/restaurant-signup': [...answer] })
    await title('Create Account')
    fill(right)
    press('checkbox', 'I am not a robot')
    press('button', 'Create Account')
    expect(await toasted()).toBe(toast)
    expect(button('Create Account').disabled).toBe(false)
  })
})

describe('Select Portal', () => {
  const check = 'GET /api/check-manager-credentials/The%20Copper%20Pot'

  it.each([
    ['there are credentials', [200, { hasCredentials: true }], 'Management Login', null],
    ['there are none', [200, { hasCredentials: false }], 'Management Setup', 'true'],
    ['it cannot be found out', [500, 'Out of order'], 'Management Login', null],
  ] as const)('opens the management where %s', async (_, answer, heading, firstTime) => {
    openStaffApp('/portal-selection', { ...device, [check]: [...answer] })
    await screen.findByRole('button', { name: 'Management Portal' })
    press('button', 'Management Portal')
    await title(heading)
    expect(recall('firstTimeSetup')).toBe(firstTime)
  })

  it('leads to the crew and to the admin login', async () => {
    openStaffApp('/portal-selection', { ...ownerSignedIn, ...device })
    const crew = await screen.findByRole<HTMLAnchorElement>('link', { name: 'Crew Portal' })
    expect(crew.getAttribute('href')).toBe('/waiter')
    press('link', 'Admin Portal')
    await title('Admin Login')
  })
})

describe('Management Setup', () => {
  const right = { Username: ' sam ', Password: 'lantern', 'Confirm Password': 'lantern' }
  const both: Answers = {
    ...device,
    'POST /api/setup-manager-credentials': [201, signedIn],
    'POST /api/management-login': [200, signedIn],
  }

  it('makes the credentials, signs in with them and goes on after 1500 ms', async () => {
    remember('restaurantId', 'The Copper Pot')
    remember('firstTimeSetup', 'true')
    await preload('/management-dashboard')
    const { calls } = openStaffApp('/management-setup', { ...both, ...manager })
    await screen.findByLabelText('Username')
    fill(right)
    await pressAtRest('Complete Setup')
    const body = { restaurantName: 'The Copper Pot', username: 'sam', password: 'lantern' }
    expect(calls).toEqual([
      ['POST /api/setup-manager-credentials', body],
      ['POST /api/management-login', body],
    ])
    expect(recall('firstTimeSetup')).toBeNull()
    expect(await around(1500)).toEqual(['/management-setup', '/management-dashboard'])
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
    expect(await toasted()).toBe(toast)
  })

  it.each<[Answers, string]>([
    [
      { 'POST /api/setup-manager-credentials': refusal(409, 'Management credentials are set up already') },
      'ErrorManagement credentials are set up already',
    ],
    [{ 'POST /api/setup-manager-credentials': [500, 'Down'] }, 'ErrorFailed to set up credentials'],
    [{ 'POST /api/management-login': [500, 'Down'] }, 'ErrorFailed to log in'],
  ])('says which step failed: %j', async (wrong, toast) => {
    openStaffApp('/management-setup', { ...both, ...wrong })
    await screen.findByLabelText('Username')
    fill(right)
    press('button', 'Complete Setup')
    expect(await toasted()).toBe(toast)
    expect(button('Complete Setup').disabled).toBe(false)
  })

  it.each([
    [409, 'Management Login', 'Management Login'],
    [403, 'Sign in again', 'Restaurant Login'],
  ])('refused with %i leads on with %s', async (status, link, heading) => {
    openStaffApp('/management-setup', {
      ...both,
      'POST /api/setup-manager-credentials': refusal(status, 'Not now'),
    })
    await screen.findByLabelText('Username')
    fill(right)
    press('button', 'Complete Setup')
    expect(await toasted()).toBe('ErrorNot now')
    await screen.findByRole('link', { name: link })
    press('link', link)
    await title(heading)
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
    openStaffApp(address, { [call]: refusal(429, 'Too many attempts') })
    await title(heading)
    fill({ Username: 'sam', Password: 'lantern' })
    press('button', 'Sign In')
    expect(await toasted()).toBe('Login FailedToo many attempts')
    expect(button('Sign In').disabled).toBe(false)
    press('button', 'Sign In')
    await waitFor(() => expect(screen.queryByText('Too many attempts')).toBeNull())
    expect(await toasted()).toBe('Login FailedToo many attempts')
  })

  it('wants both fields', async () => {
    openStaffApp(address)
    await title(heading)
    press('button', 'Sign In')
    expect(await toasted()).toBe('RequiredPlease enter your username')
    expect(problemOf('Password')).toBe('Please enter your password')
  })
})

it('goes on from the Management Login to the dashboard after 500 ms', async () => {
  await preload('/management-dashboard')
  const { calls } = openStaffApp('/management-login', {
    ...manager,
    'POST /api/management-login': [200, signedIn],
  })
  await title('Management Login')
  fill({ Username: '  sam ', Password: 'lantern' })
  await pressAtRest('Sign In')
  expect(calls).toEqual([['POST /api/management-login', { username: 'sam', password: 'lantern' }]])
  expect(recall('restaurantId')).toBe('The Copper Pot')
  expect(await around(500)).toEqual(['/management-login', '/management-dashboard'])
})

it('goes on from the Admin Login to the Admin Portal after 500 ms, with the username as it was typed', async () => {
  await preload('/admin-dashboard')
  const { calls, answers } = openStaffApp('/demo-login', {
    'POST /api/demo-login': () => {
      Object.assign(answers, ownerSignedIn)
      return [200, signedIn]
    },
  })
  await title('Admin Login')
  fill({ Username: '  sam ', Password: 'lantern' })
  await pressAtRest('Sign In')
  expect(calls).toEqual([['POST /api/demo-login', { username: '  sam ', password: 'lantern' }]])
  expect(await around(500)).toEqual(['/demo-login', '/admin-dashboard'])
  expect(screen.getByRole('heading', { level: 1, name: 'Admin Portal' })).toBeTruthy()
})

it('keeps who signed in at the crew login', async () => {
  openStaffApp('/waiter-login', {
    'POST /api/waiter-login': [
      200,
      { restaurantId: 'The Copper Pot', crewMemberId: 'c1', crewMemberName: 'Mia', role: 'Host' },
    ],
  })
  await title('Crew Login')
  fill({ Username: 'mia', Password: 'lantern' })
  press('button', 'Sign In')
  await waitFor(() => expect(recall('crewMemberId')).toBe('c1'))
  expect([recall('restaurantId'), recall('crewMemberName'), recall('crewRole')]).toEqual([
    'The Copper Pot',
    'Mia',
    'Host',
  ])
})

describe('Admin Login of a signed-in owner', () => {
  it.each([
    ['', 'Admin Portal', '/admin-dashboard'],
    ['?returnTo=%2Fadmin', 'Get Set Up', '/admin'],
    ['?returnTo=https%3A%2F%2Fevil.example%2Fadmin', 'Admin Portal', '/admin-dashboard'],
    ['?returnTo=%2Fapi%2Flogout', 'Admin Portal', '/admin-dashboard'],
  ])('goes on without the password: %s', async (search, heading, next) => {
    const { calls } = openStaffApp(`/demo-login${search}`, ownerSignedIn)
    await title('Admin Login')
    expect(screen.getByText('For system administrators and demo account access')).toBeTruthy()
    press('button', 'Continue as The Copper Pot')
    await title(heading)
    expect(path()).toBe(next)
    expect(recall('restaurantId')).toBe('The Copper Pot')
    expect(calls).toEqual([])
  })
})

describe('the onboarding', () => {
  const nameless = { restaurantName: null, email: 'o@copper.example', subscriptionStatus: 'inactive' }

  it('names the restaurant and goes on to the plans', async () => {
    const { calls, answers } = openStaffApp('/onboarding', {
      'GET /api/auth/user': [200, nameless],
      'POST /api/auth/setup-restaurant': () => {
        Object.assign(answers, ownerSignedIn)
        return [200, { ...nameless, ...signedIn }]
      },
    })
    await title("Welcome! Let's get started")
    fill({ 'Restaurant Name': ' The Copper Pot ' })
    press('button', 'Continue')
    await screen.findByText("Restaurant name set! Now let's set up your subscription.")
    await title('Choose Your Plan')
    expect(path()).toBe('/subscribe')
    expect(calls).toMatchObject([['POST /api/auth/setup-restaurant', { restaurantName: 'The Copper Pot' }]])
  })

  it('wants a name', async () => {
    openStaffApp('/onboarding', { 'GET /api/auth/user': [200, nameless] })
    await title("Welcome! Let's get started")
    press('button', 'Continue')
    expect(await toasted()).toBe('RequiredPlease enter your restaurant name')
  })

  it('says why it failed', async () => {
    openStaffApp('/onboarding', {
      'GET /api/auth/user': [200, nameless],
      'POST /api/auth/setup-restaurant': refusal(409, 'This restaurant name is not available'),
    })
    await title("Welcome! Let's get started")
    fill({ 'Restaurant Name': 'Blue Door' })
    press('button', 'Continue')
    expect(await toasted()).toBe('ErrorThis restaurant name is not available')
    expect(button('Continue').disabled).toBe(false)
  })

  it('leads to the sign-in when nobody is signed in any more', async () => {
    const { left, answers } = openStaffApp('/onboarding', { 'GET /api/auth/user': [200, nameless] })
    await title("Welcome! Let's get started")
    delete answers['GET /api/auth/user']
    fill({ 'Restaurant Name': 'Blue Door' })
    press('button', 'Continue')
    await screen.findByText('You are logged out. Logging in again...')
    await waitFor(() => expect(left).toEqual(['/api/login?returnTo=%2Fonboarding']))
  })
})
