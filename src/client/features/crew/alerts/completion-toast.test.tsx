// @vitest-environment jsdom
import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { setUpCrewDashboard } from '../../../../../test/support/pages/crew-dashboard.tsx'

const { open, ask } = setUpCrewDashboard()

// The list of what was completed is a group, too.
const shownToast = () => document.querySelector<HTMLElement>('[role="group"]')

function press(name: string, on: HTMLElement): void {
  fireEvent.click(within(on).getByRole('button', { name }))
}

const typeOfTicket = { selector: '.ticket-type' }
/** The list may be drawn anew just after it was found, so what is pressed is looked up at that moment. */
async function ticketFor(asked: string): Promise<HTMLElement> {
  await screen.findByText(asked, typeOfTicket)
  const ticket = screen.getByText(asked, typeOfTicket).closest('li')
  if (!ticket) throw new Error(`No ticket asks for ${asked}`)
  return ticket
}

it('says what is complete at a table that still waits for something else, and takes it back', async () => {
  await ask('4', 'food')
  await ask('4', 'drinks')
  open()
  // The list may come first, and a tap before it is live says that it waits to be sent.
  await screen.findByText('Live')
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
