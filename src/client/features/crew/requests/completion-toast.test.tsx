// @vitest-environment jsdom
import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { setUpCrewDashboard } from '../../../../../test/support/crew-dashboard.tsx'

const { open, ask } = setUpCrewDashboard()

// The list of what was completed is a group, too.
const shownToast = () => document.querySelector<HTMLElement>('[role="group"]')

function press(name: string, on: HTMLElement): void {
  fireEvent.click(within(on).getByRole('button', { name }))
}

async function ticketFor(asked: string): Promise<HTMLElement> {
  const list = (await screen.findByText(asked, { selector: '.ticket-type' })).closest('li')
  if (!list) throw new Error(`No ticket asks for ${asked}`)
  return list
}

it('says what is complete at a table that still waits for something else, and takes it back', async () => {
  await ask('4', 'food')
  await ask('4', 'drinks')
  open()
  press('Mark Complete', await ticketFor('Food Order'))
  await expect.poll(() => shownToast()?.textContent).toBe('Table 4: Food Order completeUndo')
  press('Undo', shownToast() ?? document.body)
  await ticketFor('Food Order')
  await expect.poll(shownToast).toBeNull()

  press('Mark Complete', await ticketFor('Drinks'))
  await expect.poll(() => shownToast()?.textContent).toBe('Table 4: Drinks completeUndo')
  press('Mark Complete', await ticketFor('Food Order'))
  await expect.poll(() => shownToast()?.textContent).toBe('Table 4 completeUndo')
})
