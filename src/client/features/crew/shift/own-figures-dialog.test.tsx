// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { createQueryClient, queryFor } from '../../../api/queries.ts'
import { addDays, localDate } from '../../../lib/time/dates.ts'
import { OwnFiguresDialog } from './own-figures-dialog.tsx'

it('lists the needs of the restaurant’s own below the six, also one with the name of another', async () => {
  const client = createQueryClient()
  const to = localDate(Date.now())
  const { queryKey } = queryFor(api.analytics.figures, { query: { from: addDays(to, -6), to } })
  client.setQueryData<object>([...queryKey], {
    totals: {
      requests: 3,
      times: { response: null },
      withinTarget: { within: 0, of: 0 },
      repeatedAsks: 0,
      stillWaiting: 0,
    },
    byType: [
      { serviceType: 'drinks', requests: 1, response: null },
      { serviceType: 'food', requests: 0, response: null },
    ],
    byNeed: ['Taxi', 'Drinks'].map((name) => ({
      need: { id: name, name: { en: name } },
      requests: 2,
      response: null,
    })),
  })
  render(
    <QueryClientProvider client={client}>
      <OwnFiguresDialog open onOpenChange={() => undefined} />
    </QueryClientProvider>,
  )
  const names = await screen.findAllByRole('rowheader')
  expect(names.map(({ textContent }) => textContent)).toEqual(['Drinks', 'Taxi', 'Drinks'])
})
