// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { Button } from './button.tsx'

it('is disabled while pending and says what is going on', () => {
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

it('gives the focus back that it took by being disabled, unless the focus went on', () => {
  const pressed = (pending: boolean) => (
    <>
      <Button pending={pending}>Sign In</Button>
      <Button>Sign Up</Button>
    </>
  )
  const { rerender } = render(pressed(false))
  const [signIn, signUp] = screen.getAllByRole('button')
  // As a browser does with what is disabled.
  const fixUp = (): void => signIn?.blur()

  signIn?.focus()
  rerender(pressed(true))
  fixUp()
  rerender(pressed(false))
  expect(document.activeElement).toBe(signIn)

  rerender(pressed(true))
  fixUp()
  signUp?.focus()
  rerender(pressed(false))
  expect(document.activeElement).toBe(signUp)
})

it('keeps its name while pending when there is no other', () => {
  render(<Button pending>Sign In</Button>)
  expect(screen.getByRole('button', { name: 'Sign In' }).matches(':disabled')).toBe(true)
})
