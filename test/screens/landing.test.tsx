// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { findTitle, openStaffApp, press } from '../support/staff-app.tsx'

it('the picture on the landing page works: a waiter is called, and answers', async () => {
  openStaffApp('/')
  await findTitle('Restaurant Service Management')
  const guest = within(screen.getByRole('region', { name: 'A guest’s phone' }))
  const crew = within(screen.getByRole('region', { name: 'The crew’s screen' }))
  expect(crew.queryByRole('button')).toBeNull()
  press('button', 'Call Waiter')
  expect(guest.getByText('Sent')).toBeDefined()
  await guest.findByText('Seen by the crew')
  press('button', 'Call Waiter')
  expect(crew.getByText('asked 2×')).toBeDefined()
  press('button', 'On my way')
  expect(guest.getByText('Maya is on the way')).toBeDefined()
  expect(crew.getByText('You’re on it')).toBeDefined()
  press('button', 'Mark Complete')
  expect(guest.getByText('Done')).toBeDefined()
  expect(document.activeElement).toBe(guest.getByRole('button', { name: 'Call Waiter' }))
})
