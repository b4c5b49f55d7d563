// @vitest-environment jsdom
import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { setUpApp } from '../support/app.ts'
import { openStaffApp, press } from '../support/staff-app.tsx'

const app = setUpApp()

it('whoever is about to delete a restaurant reads where a file of everything comes from', async () => {
  const { name, owner } = await app.restaurant()
  openStaffApp('/admin-dashboard/settings', {}, owner)
  await screen.findByRole('button', { name: 'Delete Restaurant' })
  press('button', 'Delete Restaurant')
  const dialog = within(await screen.findByRole('dialog', { name: `Delete ${name}?` }))
  expect(dialog.getByText('npm run tableside -- export')).toBeDefined()
})
