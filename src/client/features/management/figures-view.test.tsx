// @vitest-environment jsdom
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ToastProvider } from '../../ui/toast/toast.tsx'
import { ByType } from './figures/figures-view.tsx'
import { Sections } from './figures/sections.tsx'

it('lists the needs of the restaurant’s own below the six, also one with the name of another', () => {
  const counted = { response: null, targetMs: 60_000, withinTarget: { within: 0, of: 0 } }
  const byType = [{ serviceType: 'drinks' as const, requests: 3, ...counted }]
  const byNeed = ['Taxi', 'Drinks'].map((name) => ({
    need: { id: name, name: { en: name } },
    requests: 2,
    ...counted,
  }))
  render(
    <ToastProvider>
      <ByType figures={{ byType, byNeed }} />
    </ToastProvider>,
  )
  const names = screen.getAllByRole('rowheader').map(({ textContent }) => textContent)
  expect(names).toEqual(['Drinks', 'Taxi', 'Drinks'])
})

it('says that requests without a section may be those of deleted tables', () => {
  render(<Sections figures={{ sections: [], unassigned: 2 }} />)
  screen.getByText('2 requests came from tables that nobody was assigned to, or that were deleted since.')
})
