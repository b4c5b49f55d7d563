// @vitest-environment jsdom
import { cleanup, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { type Answers, device, openStaffApp, ownerSignedIn, press, findTitle } from '../support/staff-app.tsx'
import { getStored, setStored } from '../../src/client/lib/browser-storage.ts'

describe('Select Portal', () => {
  const check = 'GET /api/check-manager-credentials/The%20Copper%20Pot'

  it.each([
    ['there are credentials', [200, { hasCredentials: true }], 'Management Login', null],
    ['there are no credentials', [200, { hasCredentials: false }], 'Management Setup', 'true'],
    ['the check fails', [500, 'Out of order'], 'Management Login', null],
  ] as const)('opens the management if %s', async (_, answer, heading, firstTime) => {
    openStaffApp('/portal-selection', { ...device, [check]: [...answer] })
    await screen.findByRole('button', { name: 'Management Portal' })
    press('button', 'Management Portal')
    await findTitle(heading)
    expect(getStored('firstTimeSetup')).toBe(firstTime)
  })

  it('leads to the crew and to the admin login', async () => {
    openStaffApp('/portal-selection', { ...ownerSignedIn, ...device })
    const crew = await screen.findByRole<HTMLAnchorElement>('link', { name: 'Crew Portal' })
    expect(crew.getAttribute('href')).toBe('/waiter')
    press('link', 'Admin Portal')
    await findTitle('Admin Login')
  })
})

describe('Recovery codes after sign-up', () => {
  const codes = Array.from({ length: 10 }, (_, count) => `AAAA-BBBB-CCCC-DDD${count}`)
  const answers: Answers = {
    ...ownerSignedIn,
    ...device,
    'GET /api/owner-notices': [
      200,
      [{ id: 'no-recovery-codes', at: 0, kind: 'no-recovery-codes', about: null }],
    ],
    'POST /api/recovery-codes': [200, { codes }],
  }
  const notice = () => screen.queryByRole('link', { name: 'Save your recovery codes.' })

  it('are shown at once, and once', async () => {
    setStored('signedUp', 'true')
    const { calls } = openStaffApp('/portal-selection', answers)
    expect((await screen.findAllByRole('listitem')).map((item) => item.textContent)).toEqual(codes)
    expect(notice()).toBeNull()
    press('button', 'I Saved Them')
    expect(screen.queryByRole('heading', { name: 'Save your recovery codes' })).toBeNull()
    expect(calls).toHaveLength(1)
  })

  it('are offered again to an owner who left without saving them', async () => {
    setStored('signedUp', 'true')
    openStaffApp('/portal-selection', answers)
    await screen.findAllByRole('listitem')
    cleanup()
    const { calls } = openStaffApp('/portal-selection', answers)
    await screen.findByRole('button', { name: 'Show New Codes' })
    expect(calls).toEqual([])
    press('button', 'Show New Codes')
    await screen.findAllByRole('listitem')
    press('button', 'I Saved Them')
    expect(getStored('unsaved-recovery-codes')).toBeNull()
  })

  it('are not created for anybody else without being requested', async () => {
    const { calls } = openStaffApp('/portal-selection', answers)
    await screen.findByRole('link', { name: 'Save your recovery codes.' })
    expect(calls).toEqual([])
  })
})
