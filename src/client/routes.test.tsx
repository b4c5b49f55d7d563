// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { expectConsoleError } from '../../test/console.ts'
import {
  type Answers,
  holdTime,
  openStaffApp,
  owner,
  ownerSignedIn,
  pass,
  path,
  press,
  refusal,
  title,
  toasted,
} from '../../test/staff-app.tsx'
import { remember } from './lib/browser-storage.ts'
import { groundOf } from './routes.tsx'

const anyStaff: Answers = { 'GET /api/crew-by-restaurant': [200, []] }
const manager: Answers = {
  'GET /api/admin/current-user': [200, { restaurantName: 'The Copper Pot', managerUsername: 'sam' }],
}

describe('signed out', () => {
  it.each([
    ['/', 'Restaurant Service Management'],
    ['/restaurant-login', 'Restaurant Login'],
    ['/restaurant-signup', 'Create Account'],
    ['/portal-selection', 'Select Portal'],
    ['/waiter-login', 'Crew Login'],
    ['/management-login', 'Management Login'],
    ['/management-setup', 'Management Setup'],
    ['/demo-login', 'Admin Login'],
    ['/admin-dashboard', 'Admin Portal'],
    ['/management-dashboard', 'Management Portal'],
    ['/subscribe', 'Choose Your Plan'],
    ['/admin', 'Restaurant Service Management'],
    ['/dashboard', 'Restaurant Service Management'],
    ['/onboarding', 'Restaurant Service Management'],
    ['/no-such-page', 'Restaurant Service Management'],
    ['/deeper/still', 'Restaurant Service Management'],
  ])('%s shows %s', async (address, heading) => {
    remember('restaurantId', 'The Copper Pot')
    openStaffApp(address, { ...anyStaff, ...manager })
    await title(heading)
    expect(path()).toBe(address)
    expect(document.title).toBe(`${heading} · Tableside`)
    expect(document.documentElement.dataset['ground']).toBe('light')
  })

  it.each(['/admin', '/dashboard', '/onboarding'])('%s goes to the sign-in after 500 ms', async (address) => {
    holdTime()
    const { left } = openStaffApp(address)
    await pass(0)
    await title('Restaurant Service Management')
    expect(await toasted()).toBe('UnauthorizedYou are logged out. Logging in again...')
    await pass(499)
    expect(left).toEqual([])
    await pass(1)
    expect(left).toEqual([`/api/login?returnTo=${encodeURIComponent(address)}`])
  })

  it.each([
    ['/admin-dashboard', 'Please log in to access admin portal', '/demo-login'],
    ['/management-dashboard', 'Please log in to access management portal', '/management-login'],
  ])('%s goes to its login after a second', async (address, sentence, login) => {
    holdTime()
    openStaffApp(address)
    await pass(0)
    expect(await toasted()).toBe(`Unauthorized${sentence}`)
    await pass(999)
    expect(path()).toBe(address)
    await pass(1)
    expect(path()).toBe(login)
  })

  it('/management-dashboard is refused to a crew device', async () => {
    openStaffApp('/management-dashboard', { 'GET /api/admin/current-user': refusal(403, 'Not allowed') })
    expect(await toasted()).toContain('Please log in to access management portal')
  })

  it('/management-dashboard says why it cannot be opened', async () => {
    openStaffApp('/management-dashboard', { 'GET /api/admin/current-user': [500, 'Out of order'] })
    expect((await screen.findByRole('alert')).textContent).toBe('500: Out of order')
  })

  it.each([
    ['without a restaurant', false, anyStaff],
    ['without a sign-in to the restaurant', true, {}],
    [
      'with a sign-in to another restaurant',
      true,
      { 'GET /api/crew-by-restaurant': refusal(404, 'Restaurant not found') },
    ],
  ])('/portal-selection %s goes to the restaurant login', async (_, inTab, answers: Answers) => {
    if (inTab) remember('restaurantId', 'The Copper Pot')
    openStaffApp('/portal-selection', answers)
    await title('Restaurant Login')
    expect(path()).toBe('/restaurant-login')
  })

  it('/portal-selection stays open while the server cannot be reached', async () => {
    remember('restaurantId', 'The Copper Pot')
    openStaffApp('/portal-selection', { 'GET /api/crew-by-restaurant': [503, 'Down'] })
    await screen.findByRole('link', { name: 'Crew Portal' })
  })

  it('/management-setup without a restaurant goes to the restaurant login', async () => {
    openStaffApp('/management-setup')
    await title('Restaurant Login')
  })

  it('a failure of the question who is signed in means nobody', async () => {
    openStaffApp('/dashboard', { 'GET /api/auth/user': [500, 'Out of order'] })
    await title('Restaurant Service Management')
  })
})

describe('signed in', () => {
  it.each([
    ['/', 'Welcome back'],
    ['/dashboard', 'Welcome back'],
    ['/subscribe', 'Choose Your Plan'],
    ['/admin-dashboard', 'Admin Portal'],
    ['/management-dashboard', 'Management Portal'],
    ['/admin', 'Get Set Up'],
    ['/demo-login', 'Admin Login'],
    ['/portal-selection', 'Select Portal'],
    ['/management-login', 'Management Login'],
    ['/management-setup', 'Management Setup'],
    ['/restaurant-login', 'Restaurant Login'],
    ['/restaurant-signup', 'Create Account'],
    ['/waiter-login', 'Crew Login'],
    ['/no-such-page', '404 Page Not Found'],
    ['/deeper/still', '404 Page Not Found'],
  ])('%s shows %s', async (address, heading) => {
    openStaffApp(address, { ...ownerSignedIn, ...anyStaff, ...manager })
    await title(heading)
    expect(path()).toBe(address)
  })

  it('the 404 page has the hint for whoever builds the app', async () => {
    openStaffApp('/no-such-page', ownerSignedIn)
    await screen.findByText('Did you forget to add the page to the router?')
    press('link', 'Home')
    await title('Welcome back')
  })

  it('/onboarding of an owner with a restaurant goes to the dashboard', async () => {
    openStaffApp('/onboarding', ownerSignedIn)
    await title('Welcome back')
    expect(path()).toBe('/dashboard')
  })

  it.each(['/', '/dashboard', '/admin', '/admin-dashboard', '/portal-selection'])(
    '%s of an owner without a restaurant goes to the onboarding',
    async (address) => {
      openStaffApp(address, { 'GET /api/auth/user': [200, { ...owner, restaurantName: null }] })
      await title("Welcome! Let's get started")
      expect(path()).toBe('/onboarding')
    },
  )

  it('the home screen names the restaurant and its owner', async () => {
    openStaffApp('/', ownerSignedIn)
    await screen.findByText('The Copper Pot')
    await screen.findByText('owner@copper.example')
  })

  it.each([
    ['/dashboard', 'Sign Out', '/api/logout'],
    ['/admin-dashboard', 'Sign Out', '/api/logout?returnTo=/restaurant-login'],
    ['/management-dashboard', 'Sign Out', '/api/logout?returnTo=/restaurant-login'],
    ['/portal-selection', 'Log Out', '/api/logout?returnTo=/restaurant-login'],
  ])('%s: %s ends the session and clears the tab', async (address, name, to) => {
    remember('restaurantId', 'The Copper Pot')
    const { left } = openStaffApp(address, { ...ownerSignedIn, ...anyStaff, ...manager })
    await screen.findByRole('button', { name })
    press('button', name)
    expect(left).toEqual([to])
    expect(sessionStorage).toHaveLength(0)
  })
})

it('shows a spinner until it is known who is signed in', async () => {
  const answer = Promise.withResolvers<[number, unknown]>()
  openStaffApp('/', { 'GET /api/auth/user': () => answer.promise })
  expect(screen.getByRole('status', { name: 'Loading' })).toBeTruthy()
  expect(screen.queryByRole('heading')).toBeNull()
  answer.resolve([200, owner])
  await title('Welcome back')
})

it('leaves the app for the pages that the server gives', async () => {
  const { left } = openStaffApp('/customer?r=The%20Copper%20Pot')
  await pass0(left)
  expect(left).toEqual(['/customer?r=The%20Copper%20Pot'])
})

it('leaves the app from the card of the guest page', async () => {
  const { left } = openStaffApp('/management-dashboard', manager)
  await screen.findByRole('link', { name: 'Customer View' })
  press('link', 'Customer View')
  expect(left).toEqual(['/customer?r=The%20Copper%20Pot'])
  expect(path()).toBe('/management-dashboard')
})

it('goes on at the title and at the top of the next screen', async () => {
  openStaffApp('/')
  await title('Restaurant Service Management')
  document.documentElement.scrollTop = 400
  const link = screen.getByRole('link', { name: 'Restaurant Login' })
  link.focus()
  press('link', 'Restaurant Login')
  expect(document.activeElement).toBe(await title('Restaurant Login'))
  expect(document.documentElement.scrollTop).toBe(0)
})

it('says so when a screen breaks, and starts again', async () => {
  expectConsoleError(/restaurantName|email/)
  const { left } = openStaffApp('/', {
    'GET /api/auth/user': [200, { ...owner, restaurantName: { not: 'text' } }],
  })
  await title('Restaurant Service Management')
  expect(left).toEqual([])
})

it('is dark for the crew only', () => {
  expect(['/waiter', '/waiter/', '/waiter-login', '/'].map(groundOf)).toEqual([
    'dark',
    'dark',
    'light',
    'light',
  ])
})
