// @vitest-environment jsdom
import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../support/app.ts'
import { openStaffApp, press, pressWhenReady, waitForToast } from '../support/pages/staff-app.tsx'

const app = setUpApp()

it('deletes the restaurant when its name is typed, and restores it', async () => {
  const { name, owner } = await app.restaurant()
  openStaffApp('/admin-dashboard/settings', {}, owner)
  await screen.findByRole('button', { name: 'Delete Restaurant' })
  press('button', 'Delete Restaurant')
  const dialog = await screen.findByRole('dialog', { name: `Delete ${name}?` })
  const type = (typed: string): void => {
    const field = dialog.querySelector('input')
    if (field) fireEvent.input(field, { target: { value: typed } })
  }
  type('Another name')
  await pressWhenReady('Delete It', dialog)
  await waitForToast('This is not the name of your restaurant')
  type(name)
  await pressWhenReady('Delete It', dialog)
  await screen.findByText(/^It is deleted\. Everything in it is erased on/)
  await screen.findByText(/^Your restaurant is deleted/)
  expect((await owner.ok(api.restaurant.ending, {})).eraseAt).toBeGreaterThan(app.now())

  await pressWhenReady('Restore Restaurant')
  await screen.findByRole('button', { name: 'Delete Restaurant' })
  expect(await owner.ok(api.restaurant.ending, {})).toEqual({ eraseAt: null })
})
