// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { device, openStaffApp, ownerSignedIn, press, title } from '../../test/staff-app.tsx'
import { recall } from './lib/browser-storage.ts'

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
