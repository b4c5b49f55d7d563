// @vitest-environment jsdom
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import type { JSX } from 'react'
import { expect, it } from 'vitest'
import { Button } from '../button.tsx'
import { Dialog } from './dialog.tsx'
import { Drawer } from './drawer.tsx'
import { useDialog } from './use-dialog.ts'

it.each([
  ['a dialog', Dialog],
  ['a drawer', Drawer],
])('opens %s by its button, named by its title, and returns the focus', async (_, Kind) => {
  function Details(): JSX.Element {
    const { props } = useDialog()
    return (
      <Kind title="Response Time" description="No data yet" trigger={<Button>Details</Button>} {...props}>
        <p>Nothing here</p>
      </Kind>
    )
  }
  render(<Details />)
  const trigger = screen.getByRole('button', { name: 'Details' })
  trigger.focus()
  fireEvent.click(trigger)
  const dialog = await screen.findByRole('dialog', { name: 'Response Time' })
  expect(dialog.textContent).toBe('Response TimeNo data yetNothing here')
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(document.activeElement).toBe(trigger))
})
