// @vitest-environment jsdom
import { act, render, renderHook, screen } from '@testing-library/react'
import { expect, it, onTestFinished, vi } from 'vitest'
import { buildGuestPage, buildTap } from '../../../../../test/support/pages/guest-page.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { GuestApp } from '../guest-app.tsx'
import { explainUnavailable, refusalText, setLanguage } from '../language.ts'
import { useTableRequests } from '../requests/use-table-requests.ts'
import { createBrowserOutbox } from '../taps/browser-outbox.ts'

const minuteMs = 60_000
const place = { restaurantId: 'The Copper Pot', tableNumber: '4', k: null }
const request = buildRequest({ id: 'r1', tableNumber: '4', serviceType: 'drinks' })
const pauseOf = (serviceType: 'food' | 'drinks', until: number) =>
  ({ serviceType, until, reason: 'kitchen', text: null }) as const

const disabledTiles = (): string[] =>
  [...document.querySelectorAll<HTMLButtonElement>('.services button:disabled')].map(({ value }) => value)

it('offers no tile of a paused need until the pause ends, but a repeat of what is open', () => {
  vi.useFakeTimers()
  const now = Date.now()
  const pauses = [pauseOf('food', now + minuteMs), pauseOf('drinks', now + 5 * minuteMs)]
  render(
    <GuestApp page={buildGuestPage({ given: place, now, pauses, requests: [request], timeZone: 'UTC' })} />,
  )
  expect(disabledTiles()).toEqual(['food'])
  act(() => void vi.advanceTimersByTime(minuteMs + 1000))
  expect(disabledTiles()).toEqual([])
})

it('offers no tile while closed, until it opens', () => {
  vi.useFakeTimers()
  const now = Date.now()
  const closed = { closedUntil: now + minuteMs, timeZone: 'UTC' }
  render(<GuestApp page={buildGuestPage({ given: place, now, requests: [request], ...closed })} />)
  expect(disabledTiles()).toEqual(['general', 'food', 'check', 'assistance', 'other'])
  act(() => void vi.advanceTimersByTime(minuteMs + 1000))
  expect(disabledTiles()).toEqual([])
})

it('says when it opens also on a phone that does not know the zone', () => {
  const closed = { closedUntil: Date.now() + minuteMs, timeZone: 'Europe/Atlantis' }
  render(<GuestApp page={buildGuestPage(closed)} />)
  expect(document.querySelector('.lead')?.textContent).toMatch(/^Closed until .+\./u)
})

it.each([
  ['en', 'Sunday 6:00\u00A0AM'],
  ['ko', '(일요일) 오전\u00A06:00'],
])('keeps AM and PM with their time: %s', (language, time) => {
  onTestFinished(() => setLanguage({ language: 'en', texts: {} }))
  setLanguage({ language, texts: {} })
  const now = Date.UTC(2026, 5, 1, 12)
  const until = Date.UTC(2026, 5, 7, 6)
  expect(explainUnavailable({ until, timeZone: 'UTC' }, now)).toEqual({ said: `Closed until ${time}.` })
})

it('writes a time of today as it does one of another day', () => {
  onTestFinished(() => setLanguage({ language: 'en', texts: {} }))
  setLanguage({ language: 'de', texts: {} })
  const now = Date.UTC(2026, 5, 1, 6)
  const said = [1, 2].map(
    (day) => explainUnavailable({ until: Date.UTC(2026, 5, day, 8, 15), timeZone: 'UTC' }, now).said,
  )
  expect(said).toEqual([expect.stringMatching(/ 08:15\.$/u), expect.stringMatching(/Dienstag.* 08:15\.$/u)])
})

it('keeps no refusal longer than what it says is true', async () => {
  vi.useFakeTimers()
  const now = Date.now()
  const message = 'Food Order: not available.'
  const table = { requests: [], listening: true, barrier: null, pauses: [pauseOf('food', now + minuteMs)] }
  vi.stubGlobal('fetch', async (_url: string, { method }: { method: string }) =>
    method === 'POST'
      ? Response.json({ code: 'need_paused', message }, { status: 409 })
      : Response.json({ ...table, timeZone: 'UTC' }),
  )
  const outbox = createBrowserOutbox()
  const refused = { code: 'closed', message: 'Closed until 9:00.' } as const
  render(<GuestApp page={buildGuestPage({ now, refused })} outbox={outbox} />)
  expect(screen.getByRole('alert').textContent).toBe(refused.message)
  await act(() => vi.advanceTimersByTimeAsync(5_000))
  expect(screen.queryByRole('alert')).toBeNull()
  await act(async () => {
    outbox.add({ ...buildTap(), serviceType: 'food' })
    await vi.advanceTimersByTimeAsync(0)
  })
  expect(screen.getByRole('alert').textContent).toBe(message)
  expect(document.querySelector('.lead')?.textContent).toContain('Food Order')
  await act(() => vi.advanceTimersByTimeAsync(minuteMs))
  expect(screen.queryByRole('alert')).toBeNull()
  expect(document.querySelector('.lead')).toBeNull()
})

it('says that it is closed, not that nobody listens, unless a request still waits', () => {
  const closed = { listening: false, closedUntil: Date.now() + minuteMs, timeZone: 'UTC' }
  const { unmount } = render(<GuestApp page={buildGuestPage(closed)} />)
  expect(document.querySelector('.offline')).toBeNull()
  expect(document.querySelector('[data-lit]')).toBeNull()
  expect(document.querySelector('.table')?.textContent).toContain('Table 7')
  unmount()
  render(<GuestApp page={buildGuestPage({ ...closed, given: place, requests: [request] })} />)
  expect(document.querySelector('.offline')?.textContent).toContain('wave to your waiter')
})

it('says what is still paused when it opens, also to a screen reader', () => {
  vi.useFakeTimers()
  const now = Date.now()
  const pauses = [
    pauseOf('food', now + 5 * minuteMs),
    { ...pauseOf('drinks', now + 5 * minuteMs), reason: 'own', text: 'البار مغلق' } as const,
  ]
  const closed = { closedUntil: now + minuteMs, pauses, timeZone: 'UTC' }
  render(<GuestApp page={buildGuestPage({ now, ...closed })} />)
  const shown = (): string[] => [...document.querySelectorAll('.lead')].map((each) => each.textContent)
  expect(shown()).toEqual([expect.stringMatching(/^Closed until/u)])
  expect(screen.getByRole('status').textContent).toBe('')
  act(() => void vi.advanceTimersByTime(minuteMs + 1000))
  expect(shown()).toEqual([
    expect.stringMatching(/^Food Order: not available until .+ Kitchen closed$/u),
    expect.stringMatching(/^Drinks: not available until .+ البار مغلق$/u),
  ])
  // Nobody said which language it is.
  expect(document.querySelector('.lead bdi')?.getAttribute('lang')).toBe('')
  const isolated = shown().join(' ').replace('البار مغلق', '\u2068البار مغلق\u2069')
  expect(screen.getByRole('status').textContent).toBe(isolated)
})

it.each([
  ['de', 'Die Bar ist zu', 'de'],
  ['zh-Hans', '酒吧关了', 'zh-Hans'],
  ['ko', 'البار مغلق', 'ar'],
])('says a reason in the page’s language, or else in the restaurant’s own: %s', (language, text, lang) => {
  onTestFinished(() => setLanguage({ language: 'en', texts: {} }))
  setLanguage({ language, texts: {} })
  const now = Date.now()
  const texts = { ar: 'البار مغلق', de: 'Die Bar ist zu', 'zh-Hans': '酒吧关了' }
  const own = { reason: 'own', text: texts.ar, texts } as const
  const pauses = [{ ...pauseOf('drinks', now + minuteMs), ...own }]
  render(<GuestApp page={buildGuestPage({ now, pauses, timeZone: 'UTC' })} />)
  const said = document.querySelector('.lead bdi')
  expect([said?.textContent, said?.getAttribute('lang')]).toEqual([text, lang])
  const params = { until: now + minuteMs, serviceType: 'drinks', ...own }
  expect(refusalText({ code: 'need_paused', message: 'Paused', params })).toContain(`\u2068${text}\u2069`)
})

it('says a reason as it was changed, without a new page', async () => {
  const now = Date.now()
  const own = { reason: 'own', text: 'One', texts: { en: 'One' } } as const
  const pause = { ...pauseOf('food', now + minuteMs), ...own }
  const table = { requests: [], listening: true, barrier: null, timeZone: 'UTC' }
  const changed = { ...pause, text: 'Zwei', texts: { de: 'Zwei', en: 'Two' } }
  vi.stubGlobal('fetch', async () => Response.json({ ...table, pauses: [changed] }))
  const initial = { open: [], done: [], listening: true, barrier: null, pauses: [pause] }
  const { result } = renderHook(() => useTableRequests(place, initial, undefined))
  await act(async () => result.current.refresh())
  expect(result.current.table.pauses).toEqual([changed])
})

it('ignores a late answer about the table before', async () => {
  let answer: (response: Response) => void = () => undefined
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => (answer = resolve)))
  const initial = { open: [], done: [], listening: true, barrier: null }
  const { result, rerender } = renderHook(
    (tableNumber: string) => useTableRequests({ ...place, tableNumber }, initial, undefined),
    { initialProps: '4' },
  )
  act(() => result.current.refresh())
  rerender('5')
  await act(async () => answer(Response.json({ requests: [request], listening: true, barrier: null })))
  expect(result.current.table.open).toEqual([])
  act(() => result.current.refresh())
  await act(async () => answer(Response.json({ requests: [request], listening: true, barrier: null })))
  expect(result.current.table.open).toEqual([request])
})

it.each(['table_muted', 'code_required', 'table_closed'] as const)(
  'says nothing of single needs where none can be asked for, but when it opens: %s',
  (barrier) => {
    vi.useFakeTimers()
    const now = Date.now()
    const pauses = [pauseOf('food', now + 5 * minuteMs)]
    const closed = { closedUntil: now + minuteMs, pauses, timeZone: 'UTC' }
    render(<GuestApp page={buildGuestPage({ now, barrier, ...closed })} />)
    expect(document.querySelector('main')?.textContent).toContain('Closed until')
    act(() => void vi.advanceTimersByTime(minuteMs + 1000))
    expect(document.body.textContent).not.toMatch(/Closed until|not available/u)
  },
)
