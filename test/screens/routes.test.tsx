// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ErrorBoundary } from '../../src/client/app/error-boundary.tsx'
import { ownerPaths, preload } from '../../src/client/app/routes.tsx'
import { getStored, setStored } from '../../src/client/lib/browser/browser-storage.ts'
import { expectConsoleError } from '../support/console.ts'
import {
  type Answers,
  freezeTime,
  openStaffApp,
  owner,
  ownerSignedIn,
  advanceTime,
  currentPath,
  press,
  refusalAnswer,
  device,
  findTitle,
  toastText,
  toastWithFrozenTime,
} from '../support/pages/staff-app.tsx'

const manager: Answers = {
  'GET /api/admin/current-user': [200, { restaurantName: 'The Copper Pot', managerUsername: 'sam' }],
}

const adminSections: [path: string, heading: string][] = [
  ['/admin-dashboard/floor', 'Floor'],
  ['/admin-dashboard/crew', 'Crew'],
  ['/admin-dashboard/codes', 'Codes'],
  ['/admin-dashboard/needs', 'Needs'],
  ['/admin-dashboard/alerts', 'Alerts'],
  ['/admin-dashboard/billing', 'Billing'],
  ['/admin-dashboard/people', 'People and access'],
  ['/admin-dashboard/settings', 'Settings'],
  ['/admin-dashboard/audit-log', 'Audit log'],
]

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
    ...adminSections,
    ['/management-dashboard', 'Management Portal'],
    ['/subscribe', 'Choose Your Plan'],
    ['/admin', 'Restaurant Service Management'],
    ['/admin/cards', 'Restaurant Service Management'],
    ['/admin/cards/walk', 'Restaurant Service Management'],
    ['/dashboard', 'Restaurant Service Management'],
    ['/onboarding', 'Restaurant Service Management'],
    ['/no-such-page', 'Restaurant Service Management'],
    ['/deeper/still', 'Restaurant Service Management'],
  ])('%s shows %s', async (address, heading) => {
    openStaffApp(address, { ...device, ...manager })
    await findTitle(heading)
    expect(currentPath()).toBe(address)
    expect(document.title).toBe(`${heading} · Tableside`)
    expect(document.documentElement.dataset['theme']).toBe('light')
  })

  it.each(['/admin', '/admin/cards', '/dashboard', '/onboarding'])(
    '%s goes to the sign-in after 500 ms',
    async (address) => {
      await preload(address)
      freezeTime()
      const { navigations } = openStaffApp(address)
      expect(await toastWithFrozenTime()).toBe('UnauthorizedYou are logged out. Logging in again...')
      expect(screen.getByRole('heading', { level: 1, name: 'Restaurant Service Management' })).toBeTruthy()
      await advanceTime(498)
      expect(navigations).toEqual([])
      await advanceTime(2)
      expect(navigations).toEqual([`/api/login?returnTo=${encodeURIComponent(address)}`])
    },
  )

  it.each([
    ['/admin-dashboard', 'Please log in to access admin portal', '/demo-login'],
    ['/management-dashboard', 'Please log in to access management portal', '/management-login'],
  ])('%s goes to its login after a second', async (address, sentence, login) => {
    await Promise.all([preload(address), preload(login)])
    freezeTime()
    openStaffApp(address)
    expect(await toastWithFrozenTime()).toBe(`Unauthorized${sentence}`)
    await advanceTime(998)
    expect(currentPath()).toBe(address)
    await advanceTime(2)
    expect(currentPath()).toBe(login)
  })

  it('/management-dashboard is refused to a crew device', async () => {
    openStaffApp('/management-dashboard', {
      'GET /api/admin/current-user': refusalAnswer(403, 'Not allowed'),
    })
    expect(await toastText()).toContain('Please log in to access management portal')
  })

  it('/management-dashboard shows why it cannot be opened', async () => {
    openStaffApp('/management-dashboard', { 'GET /api/admin/current-user': [500, 'Out of order'] })
    expect((await screen.findByRole('alert')).textContent).toBe('500: Out of order')
  })

  it.each(['/portal-selection', '/management-setup'])(
    '%s without a sign-in goes to the restaurant login',
    async (address) => {
      setStored('restaurantId', 'The Copper Pot')
      openStaffApp(address)
      await findTitle('Restaurant Login')
      expect(currentPath()).toBe('/restaurant-login')
    },
  )

  it.each(['/portal-selection', '/management-setup'])(
    '%s shows the restaurant in a new tab',
    async (address) => {
      openStaffApp(address, device)
      await screen.findByText('The Copper Pot')
      expect(getStored('restaurantId')).toBe('The Copper Pot')
    },
  )

  it('/portal-selection forgets the restaurant that the browser is no longer signed in to', async () => {
    setStored('restaurantId', 'Blue Door')
    setStored('crewMemberName', 'Mia')
    openStaffApp('/portal-selection', device)
    await screen.findByText('The Copper Pot')
    expect([getStored('restaurantId'), getStored('crewMemberName')]).toEqual(['The Copper Pot', null])
  })

  it('/portal-selection stays open while the server cannot be reached', async () => {
    setStored('restaurantId', 'Blue Door')
    openStaffApp('/portal-selection', { 'GET /api/session': [503, 'Down'] })
    await screen.findByText('Blue Door')
  })

  it('a browser whose session cannot be checked counts as signed out', async () => {
    openStaffApp('/dashboard', { 'GET /api/auth/user': [500, 'Out of order'] })
    await findTitle('Restaurant Service Management')
  })
})

describe('somebody else who follows a link of the owner', () => {
  const session = { restaurantName: 'The Copper Pot', crewMember: null }
  const asManager: Answers = {
    'GET /api/session': [200, { ...session, grants: ['manager'], manager: { username: 'sam' } }],
    ...manager,
  }
  const maya = { id: 'maya', name: 'Maya', role: 'Server' }
  const asCrew: Answers = { 'GET /api/session': [200, { ...session, grants: ['crew'], crewMember: maya }] }

  it.each([
    '/dashboard',
    '/admin',
    '/admin/cards',
    '/subscribe',
    '/admin-dashboard',
    '/admin-dashboard/crew',
  ])('%s tells a manager so, and leads back or to the login', async (address) => {
    const { navigations } = openStaffApp(address, asManager)
    await findTitle('Only for the Owner')
    await screen.findByText(/^You are signed in as the manager sam\./)
    const login = screen.getByRole('link', { name: 'Sign in as the owner' }).getAttribute('href')
    expect(login).toBe(`/demo-login?returnTo=${encodeURIComponent(address)}`)
    press('link', 'Back to the Management Portal')
    await findTitle('Management Portal')
    expect(navigations).toEqual([])
  })

  it('leads crew members back to their screen', async () => {
    openStaffApp('/admin', asCrew)
    await screen.findByText(/^You are signed in as Maya\./)
    press('link', 'Back to the Crew Dashboard')
    await findTitle('Crew Dashboard')
  })
})

describe('the way between the portals', () => {
  const everywhere: Answers = {
    ...ownerSignedIn,
    ...manager,
    'GET /api/session': [
      200,
      { restaurantName: 'The Copper Pot', grants: ['device', 'owner'], crewMember: null },
    ],
  }
  const findPortals = async () =>
    within(await screen.findByRole('navigation', { name: 'Your portals' })).getAllByRole('link')

  it.each([
    ['/', 'Owner home'],
    ['/dashboard', 'Owner home'],
    ['/admin', 'Set up'],
    ['/admin/cards', 'Set up'],
    ['/admin-dashboard', 'Admin'],
    ['/admin-dashboard/crew', 'Admin'],
    ['/management-dashboard', 'Management'],
    ['/waiter', 'Crew screen'],
    ['/portal-selection', undefined],
    ['/security', undefined],
  ])('is the same for owners on %s', async (address, current) => {
    openStaffApp(address, everywhere)
    const links = await findPortals()
    expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['Owner home', '/dashboard'],
      ['Set up', '/admin'],
      ['Management', '/management-dashboard'],
      ['Crew screen', '/waiter'],
      ['Admin', '/admin-dashboard'],
    ])
    expect(links.find((link) => link.getAttribute('aria-current') === 'page')?.textContent).toBe(current)
  })

  it('takes an owner from home to the Management Portal without a password', async () => {
    openStaffApp('/', everywhere)
    const [, , management] = await findPortals()
    fireEvent.click(management ?? document.body)
    await findTitle('Management Portal')
  })

  it.each(['/management-dashboard', '/waiter', '/portal-selection'])(
    'is not for others: %s',
    async (address) => {
      const { whenLoaded } = openStaffApp(address, { ...device, ...manager })
      await screen.findByRole('heading', { level: 1 })
      await whenLoaded()
      expect(screen.queryByRole('navigation', { name: 'Your portals' })).toBeNull()
    },
  )
})

it.each([
  ['a device', device],
  ['an owner', ownerSignedIn],
])('/waiter shows %s the Crew Dashboard', async (_, answers) => {
  openStaffApp('/waiter', answers)
  await findTitle('Crew Dashboard')
  expect(currentPath()).toBe('/waiter')
})

describe('signed in', () => {
  const ownersPages: [path: string, heading: string][] = [
    ['/dashboard', 'Welcome back'],
    ['/restaurants', 'Your restaurants'],
    ['/admin', 'Get Set Up'],
    ['/admin/cards', 'Table Cards'],
    ['/admin/cards/walk', 'Walk the Floor'],
    ['/admin/try', 'Try a Request'],
  ]

  it('lists every page of an owner', () => {
    expect(ownersPages.map(([path]) => path)).toEqual(ownerPaths)
  })

  it.each([
    ...ownersPages,
    ['/', 'Welcome back'],
    ['/subscribe', 'Choose Your Plan'],
    ['/admin-dashboard', 'Admin Portal'],
    ...adminSections,
    ['/management-dashboard', 'Management Portal'],
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
    openStaffApp(address, { ...ownerSignedIn, ...manager })
    await findTitle(heading)
    expect(currentPath()).toBe(address)
  })

  it('the 404 page has the hint for developers', async () => {
    openStaffApp('/no-such-page', ownerSignedIn)
    await screen.findByText('Did you forget to add the page to the router?')
    press('link', 'Home')
    await findTitle('Welcome back')
  })

  it('/onboarding of an owner with a restaurant goes to the dashboard', async () => {
    openStaffApp('/onboarding', ownerSignedIn)
    await findTitle('Welcome back')
    expect(currentPath()).toBe('/dashboard')
  })

  it.each([
    '/',
    '/dashboard',
    '/Dashboard/',
    '/admin',
    '/admin/cards',
    '/subscribe',
    '/admin-dashboard',
    '/portal-selection',
  ])('%s of an owner without a restaurant goes to the onboarding', async (address) => {
    openStaffApp(address, {
      'GET /api/auth/user': [200, { ...owner, restaurantName: null }],
      'GET /api/session': [200, { restaurantName: null, grants: ['owner'], crewMember: null }],
    })
    await findTitle("Welcome! Let's get started")
    expect(currentPath()).toBe('/onboarding')
  })

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
    setStored('restaurantId', 'The Copper Pot')
    const { navigations } = openStaffApp(address, { ...ownerSignedIn, ...manager })
    await screen.findByRole('button', { name })
    press('button', name)
    expect(navigations).toEqual([to])
    expect(sessionStorage).toHaveLength(0)
  })
})

it('shows a spinner until it is known who is signed in', async () => {
  const answer = Promise.withResolvers<[number, unknown]>()
  openStaffApp('/', { 'GET /api/auth/user': () => answer.promise })
  expect(screen.getByRole('status', { name: 'Loading' })).toBeTruthy()
  expect(screen.queryByRole('heading')).toBeNull()
  answer.resolve([200, owner])
  await findTitle('Welcome back')
})

it.each([
  ['/dashboard', '/subscribe', 'Subscribe Now'],
  ['/subscribe', '/dashboard', 'Skip for now'],
])('leaves %s for %s by a full navigation where Stripe takes the payments', async (from, to, link) => {
  document.documentElement.dataset['payments'] = 'stripe'
  onTestFinished(() => {
    delete document.documentElement.dataset['payments']
  })
  const inactive = { ...owner, subscriptionStatus: 'inactive' }
  const { navigations } = openStaffApp(from, { 'GET /api/auth/user': [200, inactive] })
  await screen.findByRole('link', { name: link })
  press('link', link)
  expect(navigations).toEqual([to])
  expect(currentPath()).toBe(from)
})

it('offers a demo only where the installation does, and opens it', async () => {
  const { answers } = openStaffApp('/')
  await findTitle('Restaurant Service Management')
  expect(screen.queryByRole('button', { name: 'Try the demo' })).toBeNull()
  cleanup()
  document.documentElement.dataset['demo'] = 'on'
  onTestFinished(() => {
    delete document.documentElement.dataset['demo']
  })
  const demo = { restaurantName: 'The Copper Pot 4F2K9A' }
  const opened = openStaffApp('/', {
    ...answers,
    'POST /api/try-demo': () => {
      opened.answers['GET /api/auth/user'] = [200, { ...owner, ...demo }]
      return [201, demo]
    },
  })
  await screen.findByRole('button', { name: 'Try the demo' })
  press('button', 'Try the demo')
  await findTitle('Try a Request')
  expect(currentPath()).toBe('/admin/try')
  expect(getStored('restaurantId')).toBe(demo.restaurantName)
})

it('leaves the app for the pages that the server renders', async () => {
  const { navigations } = openStaffApp('/customer?r=The%20Copper%20Pot')
  await waitFor(() => expect(navigations).toEqual(['/customer?r=The%20Copper%20Pot']))
})

it('leaves the app through the link to the guest page', async () => {
  const { navigations } = openStaffApp('/management-dashboard', manager)
  await screen.findByRole('link', { name: 'Customer View' })
  press('link', 'Customer View')
  expect(navigations).toEqual(['/customer?r=The%20Copper%20Pot'])
  expect(currentPath()).toBe('/management-dashboard')
})

it('moves the focus to the title of the next screen, and scrolls to the top', async () => {
  openStaffApp('/')
  await findTitle('Restaurant Service Management')
  document.documentElement.scrollTop = 400
  const link = screen.getByRole('link', { name: 'Restaurant Login' })
  link.focus()
  press('link', 'Restaurant Login')
  expect(document.activeElement).toBe(await findTitle('Restaurant Login'))
  expect(document.documentElement.scrollTop).toBe(0)
})

it('shows an error page when a screen crashes, and reloads', async () => {
  expectConsoleError(/A screen that crashes/)
  const reloads: string[] = []
  render(
    <ErrorBoundary reload={() => reloads.push('reload')}>
      <CrashingScreen />
    </ErrorBoundary>,
  )
  await findTitle('This page stopped working')
  press('button', 'Reload')
  expect(reloads).toEqual(['reload'])
})

function CrashingScreen(): never {
  throw new Error('A screen that crashes')
}
