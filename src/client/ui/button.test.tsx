// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { Button } from './button.tsx'

it('a button is disabled while pending, with the pending label', () => {
  const onClick = vi.fn()
  const { rerender } = render(<Button onClick={onClick}>Continue</Button>)
  rerender(
    <Button onClick={onClick} pending pendingLabel="Setting up...">
      Continue
    </Button>,
  )
  const button = screen.getByRole('button', { name: 'Setting up...' })
  fireEvent.click(button)
  expect(onClick).not.toHaveBeenCalled()
  expect(button.matches(':disabled[aria-busy="true"]')).toBe(true)
})

it('gets back the focus that it lost by being disabled, unless the focus moved on', () => {
  const buttons = (pending: boolean) => (
    <>
      <Button pending={pending}>Sign In</Button>
      <Button>Sign Up</Button>
    </>
  )
  const { rerender } = render(buttons(false))
  const [signIn, signUp] = screen.getAllByRole('button')
  // Browsers take the focus from a disabled control; jsdom does not.
  const loseFocus = (): void => signIn?.blur()

  signIn?.focus()
  rerender(buttons(true))
  loseFocus()
  rerender(buttons(false))
  expect(document.activeElement).toBe(signIn)

  rerender(buttons(true))
  loseFocus()
  signUp?.focus()
  rerender(buttons(false))
  expect(document.activeElement).toBe(signUp)
})

it('keeps its name while pending without a pending label', () => {
  render(<Button pending>Sign In</Button>)
  expect(screen.getByRole('button', { name: 'Sign In' }).matches(':disabled')).toBe(true)
})
