// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { PasswordField } from './password-field.tsx'

it('shows and hides the password, and keeps its own name', () => {
  render(<PasswordField label="Password" defaultValue="hunter2" />)
  const input = screen.getByLabelText('Password', { exact: true, selector: 'input' })
  expect(input.getAttribute('type')).toBe('password')
  fireEvent.click(screen.getByRole('button', { name: 'Show password' }))
  expect(input.getAttribute('type')).toBe('text')
  fireEvent.click(screen.getByRole('button', { name: 'Hide password' }))
  expect(input.getAttribute('type')).toBe('password')
  expect(screen.getByRole('button', { name: 'Show password' })).toBeDefined()
})

it('describes the input by its error and hint', () => {
  render(<PasswordField label="Password" error="Passwords do not match" hint="At least 6 characters" />)
  const input = screen.getByLabelText('Password', { exact: true, selector: 'input' })
  const descriptions = input
    .getAttribute('aria-describedby')
    ?.split(' ')
    .map((id) => document.querySelector(`[id="${id}"]`)?.textContent)
  expect(descriptions).toEqual(['Passwords do not match', 'At least 6 characters'])
  expect(input.getAttribute('aria-invalid')).toBe('true')
})

it('shows how strong a password is while it is typed', () => {
  render(<PasswordField label="Password" strength />)
  expect(screen.queryByRole('meter')).toBeNull()
  const input = screen.getByLabelText('Password', { exact: true, selector: 'input' })
  fireEvent.input(input, { target: { value: 'harbour' } })
  expect(screen.getByRole('meter').getAttribute('aria-valuetext')).toBe('Weak')
  fireEvent.input(input, { target: { value: 'copper-lantern-42' } })
  expect(screen.getByRole('meter').getAttribute('aria-valuetext')).toBe('Strong')
})
