// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import {
  openStaffApp,
  press,
  refusalAnswer,
  findTitle,
  toastText,
} from '../../../../test/support/staff-app.tsx'

const user = { restaurantName: 'The Copper Pot', managerUsername: 'sam' }
const overview = {
  day: '2026-11-20',
  timeZone: 'UTC',
  requestsToday: 0,
  requestsChange: null,
  averageResponseMs: null,
  medianResponseMs: null,
  responseChange: null,
  activeTables: 0,
  tables: [],
  latest: [],
}

it('goes to the login when the session ends before the figures are loaded', async () => {
  let calls = 0
  openStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': () => (++calls === 1 ? [200, user] : refusalAnswer(401, 'Please sign in')),
  })
  await findTitle('Management Portal')
  expect(await toastText()).toContain('Please log in to access management portal')
})

it('reports what could not be loaded, and retries', async () => {
  let calls = 0
  openStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': [200, user],
    'GET /api/analytics/overview': () => (++calls === 1 ? [500, 'Out of order'] : [200, overview]),
    'GET /api/analytics': [500, 'Out of order'],
    'GET /api/qr-codes/me': [500, 'Out of order'],
    'GET /api/crew': [500, 'Out of order'],
  })
  await screen.findByText('The overview could not be loaded.')
  await screen.findByText('The figures could not be computed.')
  await screen.findByText('The QR code could not be loaded.')
  await screen.findByText('The floor could not be loaded.')
  const [retry] = screen.getAllByRole('button', { name: 'Try again' })
  retry?.click()
  await screen.findByText('0 today')
  await screen.findByText('No data yet')
})

it('shows "Generating QR code..." while it loads, and "No QR Code Yet" if there is none', async () => {
  const answer = Promise.withResolvers<[number, unknown]>()
  openStaffApp('/management-dashboard', {
    'GET /api/admin/current-user': [200, user],
    'GET /api/analytics/overview': [200, overview],
    'GET /api/qr-codes/me': () => answer.promise,
  })
  await screen.findByText('Generating QR code...')
  answer.resolve([404, { code: 'not_found', message: 'No QR code yet' }])
  await screen.findByText('No QR Code Yet')
  expect(screen.queryByText('Generating QR code...')).toBeNull()
  press('button', 'Active Tables')
  await screen.findByText('Tables appear when servers assign themselves.')
})

it.each([
  ['reminds', 1_800_000_000_000, 0, 1],
  ['does not remind', 1_800_000_000_000, 10, 0],
  ['does not remind', null, 0, 0],
])(
  '%s managers with an authenticator since %s and %i recovery codes to save some',
  async (_, since, left, reminders) => {
    openStaffApp('/management-dashboard', {
      'GET /api/admin/current-user': [200, user],
      'GET /api/analytics/overview': [200, overview],
      'GET /api/authenticator': [200, { since, hasPassword: true }],
      'GET /api/recovery-codes': [200, { left, createdAt: null }],
    })
    await screen.findByText('0 today')
    await expect
      .poll(() => screen.queryAllByRole('link', { name: 'Save your recovery codes.' }))
      .toHaveLength(reminders)
  },
)
