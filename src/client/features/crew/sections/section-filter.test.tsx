// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { FloorPlan } from '#contract/floor/sections.ts'
import { QuietSocket } from '../../../../../test/support/pages/jsdom-socket.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { LiveChannel } from '../../../api/live/live-channel.ts'
import { LiveContext } from '../../../api/live/use-live.ts'
import { createQueryClient } from '../../../api/queries.ts'
import { useRequestFilter } from '../requests/use-request-filter.ts'
import { SectionFilter } from './section-filter.tsx'

const plan: FloorPlan = {
  sections: [{ id: 'terrace', name: 'Terrace' }],
  tables: [{ id: '1', tableNumber: '1', sectionId: 'terrace', place: null }],
  members: [],
}
const open = ['1', '7'].map((table) => buildRequest({ id: table, tableNumber: table, called: ['leo'] }))

/** Whether the filter is known, and the tables it shows, at each rendering. */
let renderings: string[]
let answer: ((response: Response) => void) | undefined

beforeEach(() => {
  renderings = []
  answer = undefined
  vi.stubGlobal('WebSocket', QuietSocket)
  vi.stubGlobal('fetch', async () => await new Promise<Response>((resolve) => (answer = resolve)))
})
afterEach(() => vi.unstubAllGlobals())

function Screen() {
  const { here, isFilterKnown, setFilter } = useRequestFilter(open, 'maya')
  renderings.push(`${isFilterKnown}: ${here.map(({ id }) => id).join(' ')}`)
  return <SectionFilter me="maya" hidden={open.length - here.length} onFilter={setFilter} />
}

const show = () =>
  render(
    <QueryClientProvider client={createQueryClient()}>
      <LiveContext value={new LiveChannel()}>
        <Screen />
      </LiveContext>
    </QueryClientProvider>,
  )

const distinct = (): string[] => [...new Set(renderings)]

it('the chosen section is not known before its tables are', async () => {
  localStorage.setItem('section-filter', 'terrace')
  show()
  await expect.poll(() => answer).toBeDefined()
  expect(distinct()).toEqual(['false: 1 7'])
  answer?.(Response.json(plan))
  await screen.findByRole('button', { name: '1 elsewhere. Show all sections' })
  expect(distinct()).toEqual(['false: 1 7', 'true: 1'])
})

it('goes by the tables that the section had last, until they are known', async () => {
  localStorage.setItem('section-filter', 'terrace')
  const { unmount } = show()
  await expect.poll(() => answer).toBeDefined()
  answer?.(Response.json(plan))
  await screen.findByRole('button', { name: '1 elsewhere. Show all sections' })
  unmount()
  renderings = []
  const earlier = answer
  show()
  await expect.poll(() => answer).not.toBe(earlier)
  // Until it is connected there is only what a page without a network shows.
  await expect.poll(distinct).toEqual(['false: 1 7', 'false: 1'])
  answer?.(Response.json(plan))
  await expect.poll(distinct).toEqual(['false: 1 7', 'false: 1', 'true: 1'])
})

it('no section is chosen when the plan cannot be loaded', async () => {
  localStorage.setItem('section-filter', 'terrace')
  show()
  await expect.poll(() => answer).toBeDefined()
  answer?.(new Response('', { status: 500 }))
  await expect.poll(distinct).toEqual(['false: 1 7', 'true: 1 7'])
})

it('knows from the start that nothing was chosen, and once something is, keeps room for the count of the others', async () => {
  show()
  await expect.poll(() => answer).toBeDefined()
  const everywhere = open.map(({ id }) => ({ id, tableNumber: id, sectionId: 'terrace', place: null }))
  answer?.(Response.json({ ...plan, tables: everywhere }))
  const section = await screen.findByLabelText('Section')
  expect(distinct()).toEqual(['true: 1 7'])
  expect(screen.queryByText('0 elsewhere')).toBeNull()
  fireEvent.change(section, { target: { value: 'terrace' } })
  expect((await screen.findByText('0 elsewhere')).style.visibility).toBe('hidden')
})
