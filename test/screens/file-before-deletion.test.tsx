// @vitest-environment jsdom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { setUpApp } from '../support/app.ts'
import { openStaffApp, press, pressWhenReady, waitForToast } from '../support/pages/staff-app.tsx'

const app = setUpApp()

it('whoever is about to delete a restaurant can download everything in it, or reads why not now', async () => {
  const { name, owner } = await app.restaurant()
  const message = 'Everything was downloaded several times already. Please try again in 59 minutes.'
  const { calls } = openStaffApp(
    '/admin-dashboard/settings',
    { 'POST /api/restaurant/export': [429, { code: 'rate_limited', message }] },
    owner,
  )
  await screen.findByRole('button', { name: 'Delete Restaurant' })
  press('button', 'Delete Restaurant')
  const dialog = await screen.findByRole('dialog', { name: `Delete ${name}?` })
  await pressWhenReady('Download everything', dialog)
  await waitForToast(message)
  expect(calls).toEqual([['POST /api/restaurant/export', undefined]])
})
