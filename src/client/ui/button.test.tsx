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

it('keeps its name while pending when there is no other', () => {
  render(<Button pending>Sign In</Button>)
  expect(screen.getByRole('button', { name: 'Sign In' }).matches(':disabled')).toBe(true)
})
