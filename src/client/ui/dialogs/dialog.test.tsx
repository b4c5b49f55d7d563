// @vitest-environment jsdom
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { type JSX, useRef, useState } from 'react'
import { expect, it, vi } from 'vitest'
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

it('shows a tap before what the tap opens or closes, and takes no second one meanwhile', async () => {
  const remove = vi.fn<() => void>()
  function Removal(): JSX.Element {
    const { props, close } = useDialog()
    return (
      <Dialog tapFirst title="Remove table 7?" trigger={<Button>Remove</Button>} {...props}>
        <Button
          onClick={() => {
            close()
            remove()
          }}
        >
          Yes
        </Button>
      </Dialog>
    )
  }
  render(<Removal />)
  fireEvent.click(screen.getByRole('button', { name: 'Remove' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  const dialog = await screen.findByRole('dialog')
  const yes = screen.getByRole('button', { name: 'Yes' })
  fireEvent.click(yes)
  fireEvent.click(yes)
  expect(remove).toHaveBeenCalledOnce()
  expect(dialog.hasAttribute('data-closed')).toBe(false)
  await waitFor(() => expect(dialog.isConnected).toBe(false))
})

it('renders nothing that it contains for the tap that closes it', async () => {
  const rendered = vi.fn<() => void>()
  function Content(): JSX.Element {
    rendered()
    return <p>Nothing here</p>
  }
  function Details(): JSX.Element {
    const { props } = useDialog()
    return (
      <Drawer title="Table 7" trigger={<Button>More</Button>} {...props}>
        <Content />
      </Drawer>
    )
  }
  render(<Details />)
  fireEvent.click(screen.getByRole('button', { name: 'More' }))
  const dialog = await screen.findByRole('dialog')
  rendered.mockClear()
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(rendered).not.toHaveBeenCalled()
  await waitFor(() => expect(dialog.isConnected).toBe(false))
})

it('leaves the focus to the dialog that opens as another closes', async () => {
  function Names(): JSX.Element {
    const [step, setStep] = useState<'nobody' | 'names' | 'pin'>('nobody')
    const choose = useRef<HTMLButtonElement>(null)
    return (
      <>
        <button ref={choose} type="button" onClick={() => setStep('names')}>
          Choose
        </button>
        <Drawer
          title="Names"
          open={step === 'names'}
          onOpenChange={() => setStep('nobody')}
          finalFocus={() => choose.current}
        >
          <button type="button" onClick={() => setStep('pin')}>
            Maya
          </button>
        </Drawer>
        <Dialog tapFirst title="PIN of Maya" open={step === 'pin'} onOpenChange={() => setStep('nobody')}>
          <input aria-label="PIN" autoFocus />
        </Dialog>
      </>
    )
  }
  render(<Names />)
  fireEvent.click(screen.getByRole('button', { name: 'Choose' }))
  const maya = await screen.findByRole('button', { name: 'Maya' })
  fireEvent.click(maya)
  await waitFor(() => expect(maya.isConnected).toBe(false))
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'PIN' })))
})
