// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Page } from './page.tsx'

it('sets the title of the document and its theme, which dialogs and toasts read', () => {
  const { rerender } = render(
    <Page theme="dark" title="Crew Dashboard">
      Requests
    </Page>,
  )
  expect(document.title).toBe('Crew Dashboard · Tableside')
  expect(document.documentElement.dataset['theme']).toBe('dark')
  rerender(
    <Page theme="light" title="Admin Portal">
      Overview
    </Page>,
  )
  expect(document.documentElement.dataset['theme']).toBe('light')
  expect(screen.getByRole('main').textContent).toBe('Overview')
})

it('skips to the content', () => {
  render(
    <Page theme="dark" title="Crew Dashboard">
      Requests
    </Page>,
  )
  fireEvent.click(screen.getByRole('link', { name: 'Skip to content' }))
  expect(document.activeElement).toBe(screen.getByRole('main'))
})

it('moves the focus to the title of the next screen, unless that screen sets it itself', () => {
  const { rerender } = render(
    <Page key="1" theme="light" title="Select Portal">
      <a href="/waiter">Crew Portal</a>
    </Page>,
  )
  screen.getByRole('link', { name: 'Crew Portal' }).focus()
  rerender(
    <Page key="2" theme="dark" title="Crew Dashboard">
      Requests
    </Page>,
  )
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Crew Dashboard' }))
  rerender(
    <Page key="3" theme="light" title="Admin Login">
      <input aria-label="Username" autoFocus />
    </Page>,
  )
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Username' }))
})
