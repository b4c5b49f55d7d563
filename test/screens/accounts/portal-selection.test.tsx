// @vitest-environment jsdom
import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { getStored, setStored } from '../../../src/client/lib/browser/browser-storage.ts'
import { setCatalogue } from '../../../src/client/lib/texts/translate.ts'
import {
  type Answers,
  device,
  openStaffApp,
  ownerSignedIn,
  press,
  findTitle,
} from '../../support/pages/staff-app.tsx'

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

  it('asks for no owner where only a device is signed in', async () => {
    const { refusals, whenLoaded } = openStaffApp('/portal-selection', device)
    await screen.findByRole('link', { name: 'Crew Portal' })
    await whenLoaded()
    expect(refusals).toEqual([])
  })

  it('leads to the crew and to the admin login', async () => {
    openStaffApp('/portal-selection', ownerSignedIn)
    const crew = await screen.findByRole<HTMLAnchorElement>('link', { name: 'Crew Portal' })
    expect(crew.getAttribute('href')).toBe('/waiter')
    press('link', 'Admin Portal')
    await findTitle('Admin Login')
  })
})

describe('in another language', () => {
  const notices: Answers = {
    ...ownerSignedIn,
    'GET /api/owner-notices': [200, [{ id: 'email', at: 0, kind: 'email-changed', about: null }]],
  }
  const open = (lang: string, portalLanguages: object) => {
    setStored('language', lang)
    Object.assign(document.documentElement, { lang })
    document.documentElement.dataset['portalLanguages'] = JSON.stringify(portalLanguages)
    openStaffApp('/portal-selection', {
      ...notices,
      'GET /catalogues/portals.json': [
        200,
        { language: 'de', texts: { 'Check your security settings.': 'Prüfen Sie die Sicherheit.' } },
      ],
    })
  }
  const { lang } = document.documentElement
  afterEach(() => {
    setCatalogue('en', new Map())
    Object.assign(document.documentElement, { lang })
    delete document.documentElement.dataset['portalLanguages']
  })

  it('tells an owner what happened in the words of the portals', async () => {
    open('de', { de: { name: 'Deutsch', url: '/catalogues/portals.json' } })
    const link = await screen.findByRole('link', { name: 'Prüfen Sie die Sicherheit.' })
    expect(link.closest('[lang]')).toBe(document.documentElement)
  })

  it('tells it in English, and marks it so, where the portals lack the language', async () => {
    open('ar', { de: { name: 'Deutsch', url: '/catalogues/portals.json' } })
    const link = await screen.findByRole('link', { name: 'Check your security settings.' })
    expect(link.closest('[lang]')?.getAttribute('lang')).toBe('en')
    expect(link.closest('[dir]')?.getAttribute('dir')).toBe('ltr')
  })
})

describe('Recovery codes after sign-up', () => {
  const findCodes = async () => {
    const card = await screen.findByRole('region', { name: 'Save your recovery codes' })
    return await within(card).findAllByRole('listitem')
  }
  const codes = Array.from({ length: 10 }, (_, count) => `AAAA-BBBB-CCCC-DDD${count}`)
  const answers: Answers = {
    ...ownerSignedIn,
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
    expect((await findCodes()).map((item) => item.textContent)).toEqual(codes)
    expect(notice()).toBeNull()
    press('button', 'I Saved Them')
    expect(screen.queryByRole('heading', { name: 'Save your recovery codes' })).toBeNull()
    expect(calls).toHaveLength(1)
  })

  it('are offered again to an owner who left without saving them', async () => {
    setStored('signedUp', 'true')
    openStaffApp('/portal-selection', answers)
    await findCodes()
    cleanup()
    const { calls } = openStaffApp('/portal-selection', answers)
    await screen.findByRole('button', { name: 'Show New Codes' })
    expect(calls).toEqual([])
    press('button', 'Show New Codes')
    await findCodes()
    press('button', 'I Saved Them')
    expect(getStored('unsaved-recovery-codes')).toBeNull()
  })

  it('are not created for anybody else without being requested', async () => {
    const { calls } = openStaffApp('/portal-selection', answers)
    await screen.findByRole('link', { name: 'Save your recovery codes.' })
    expect(calls).toEqual([])
  })
})
