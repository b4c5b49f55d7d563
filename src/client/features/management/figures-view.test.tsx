// @vitest-environment jsdom
import { fireEvent, render, screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { ToastProvider } from '../../ui/toast/toast.tsx'
import { ByDay, ByHour } from './figures/figures-by-time.tsx'
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

it.each([
  ['en', ['en-US'], ['9 AM', '10 AM', '11 AM', '12 PM', '1 PM']],
  ['en', ['en-GB'], ['09:00', '10:00', '11:00', '12:00', '13:00']],
  ['de', ['en-US'], ['09 Uhr', '10 Uhr', '11 Uhr', '12 Uhr', '13 Uhr']],
  ['en', ['de-DE'], ['09:00', '10:00', '11:00', '12:00', '13:00']],
])('tables of hours count as every other time on the screen: %s, %j', (lang, languages, names) => {
  vi.stubGlobal('navigator', { languages, language: languages[0] })
  document.documentElement.lang = lang
  const byHour = Array.from({ length: 24 }, (_, hour) => ({
    hour,
    requests: hour === 9 || hour === 13 ? 1 : 0,
    response: null,
  }))
  render(
    <ToastProvider>
      <ByHour figures={{ byHour } as never} />
    </ToastProvider>,
  )
  const [table] = screen.getAllByRole('table', { hidden: true })
  const shown = table && within(table).getAllByRole('rowheader', { hidden: true })
  expect(shown?.map(({ textContent }) => textContent.replaceAll(/\s/gu, ' '))).toEqual(names)
  document.documentElement.lang = 'en'
})

it('the rows of a table of hours can be put in order by the time of the day', () => {
  const byHour = [9, 10, 12, 13].map((hour) => ({ hour, requests: 1, response: null }))
  render(
    <ToastProvider>
      <ByHour figures={{ byHour } as never} />
    </ToastProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Show Requests by hour as a table' }))
  const table = screen.getByRole('table', { name: 'Requests by hour' })
  const hours = () =>
    within(table)
      .getAllByRole('rowheader')
      .map(({ textContent }) => textContent.replaceAll(/\s/gu, ' '))
  const head = within(table).getByRole('button', { name: 'Hour' })
  fireEvent.click(head)
  expect(hours()).toEqual(['9 AM', '10 AM', '12 PM', '1 PM'])
  fireEvent.click(head)
  expect(hours()).toEqual(['1 PM', '12 PM', '10 AM', '9 AM'])
})

it('the rows of a table of days can be put in order by the day, across months', () => {
  const days = ['2026-11-29', '2026-11-30', '2026-12-01', '2026-12-02']
  const byDay = days.map((day) => ({ day, requests: 1, response: null }))
  render(
    <ToastProvider>
      <ByDay figures={{ byDay, range: { from: '2026-11-29', to: '2026-12-02' } } as never} />
    </ToastProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Show Requests by day as a table' }))
  const table = screen.getByRole('table', { name: 'Requests by day' })
  const names = () =>
    within(table)
      .getAllByRole('rowheader')
      .map(({ textContent }) => textContent)
  const before = names()
  fireEvent.click(within(table).getByRole('button', { name: 'Day' }))
  expect(names()).toEqual(before)
})
