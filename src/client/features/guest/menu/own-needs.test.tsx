// @vitest-environment jsdom
import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { type ShownNeed, visitDurationMs } from '#contract/requests/requests.ts'
import { buildGuestPage, buildTap } from '../../../../../test/support/pages/guest-page.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { GuestApp } from '../guest-app.tsx'
import { setLanguage } from '../language.ts'
import { forgetOldRequests, isOwnRequest, rememberOwnRequest } from '../taps/guest-storage.ts'
import { startTapQueue } from '../taps/tap-queue.ts'
import * as part from './own-needs-part.tsx'
import { drafts, nameOf, ownNeeds } from './own-needs.ts'

const needs: ShownNeed[] = [
  { id: 'water', name: { de: 'Wasser', en: 'Water' }, icon: 'water', note: true },
  { id: 'drinks', name: { en: 'Bar' } },
  { id: 'check', choices: [{ id: 'cash', name: { en: 'Cash', de: 'Bar' } }] },
  { id: 'general' },
]

beforeEach(() => {
  ownNeeds.part = part
  drafts.clear()
  localStorage.clear()
})
afterEach(() => {
  ownNeeds.part = undefined
  setLanguage({ language: 'en', texts: {} })
})

const tile = (text: string): HTMLElement => {
  const tiles = document.querySelectorAll<HTMLElement>('.services :is(button, summary)')
  const found = [...tiles].find(({ textContent }) => textContent === text)
  if (!found) throw new Error(`no tile ${text}`)
  return found
}

it('names needs in the page’s language, and else in the first one that the owner entered', () => {
  setLanguage({ language: 'de', texts: {} })
  expect(nameOf({ serviceType: 'other', need: 'water' }, needs)).toBe('Wasser')
  expect(nameOf({ serviceType: 'check', choice: 'cash' }, needs)).toBe('Check/Bill · Bar')
  expect(nameOf({ serviceType: 'drinks' }, needs)).toBe('Bar')
  setLanguage({ language: 'fr', texts: {} })
  expect(nameOf({ serviceType: 'other', need: 'water' }, needs)).toBe('Wasser')
  const stored = { id: 'water', name: { en: 'Fizz' } }
  expect(
    nameOf({ serviceType: 'other', need: stored, choice: { id: 'x', name: { fr: 'Deux' } } }, needs),
  ).toBe('Fizz · Deux')
  expect(nameOf({ serviceType: 'other', need: 'gone', choice: 'gone' }, undefined)).toBe('Other')
  setLanguage({ language: 'en-GB', texts: {} })
  expect(nameOf({ serviceType: 'other', need: 'water' }, needs)).toBe('Water')
})

it('marks what the table waits for, need by need, and keeps the rest', () => {
  const given = { restaurantId: 'Blue Door', tableNumber: '7', k: null }
  const need = { id: 'water', name: { en: 'Water' }, icon: 'water' } as const
  const request = buildRequest({ id: 'r1', tableNumber: '7', serviceType: 'other', need, note: 'No ice' })
  render(<GuestApp page={buildGuestPage({ given, needs, requests: [request] })} />)
  const asked = [...document.querySelectorAll('.services [data-asked]')].map((each) => each.textContent)
  expect(asked).toEqual([expect.stringContaining('Water')])
  expect(document.querySelector('.requests q')?.textContent).toBe('No ice')
  expect(document.querySelectorAll('.services > button, .services > details')).toHaveLength(4)
})

it('shows what this device wrote, as long as the request is its own', () => {
  const need = { id: 'water', name: { en: 'Water' }, icon: 'water' } as const
  const request = buildRequest({ id: 'r2', tableNumber: '7', serviceType: 'other', need })
  const written = () => {
    const { unmount } = render(<GuestApp page={buildGuestPage({ needs, requests: [request] })} />)
    const text = document.querySelector('.requests q')?.textContent
    unmount()
    return text
  }
  const now = Date.now()
  expect(written()).toBeUndefined()
  rememberOwnRequest('r2', now, '2 nuts')
  expect(written()).toBe('2 nuts')
  // Asked for again without a word.
  rememberOwnRequest('r2', now)
  forgetOldRequests(now + visitDurationMs)
  expect(written()).toBe('2 nuts')
  forgetOldRequests(now + visitDurationMs + 1)
  expect(written()).toBeUndefined()
  expect(isOwnRequest('r2')).toBe(false)
})

it('offers none of them while the restaurant is closed', () => {
  render(<GuestApp page={buildGuestPage({ needs, closedUntil: Date.now() + 60_000, timeZone: 'UTC' })} />)
  expect(document.querySelectorAll('.services button:disabled')).toHaveLength(4)
  expect(document.querySelector('.services details')).toBeNull()
})

it('offers what the restaurant offers, only without choices and notes, where its part cannot be loaded', async () => {
  ownNeeds.part = undefined
  document.documentElement.lang = 'en'
  onTestFinished(() => document.documentElement.removeAttribute('lang'))
  const sent: unknown[] = []
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body))
    return new Promise(() => undefined)
  })
  const outbox = startTapQueue()
  const request = buildRequest({ id: 'r1', tableNumber: '7', serviceType: 'drinks' })
  render(<GuestApp page={buildGuestPage({ needs, requests: [request] })} outbox={outbox} />)
  const tiles = [...document.querySelectorAll('.services button')].map(({ textContent }) => textContent)
  expect(tiles).toEqual(['Water', 'Bar', 'Check/Bill', 'Call Waiter'])
  expect(document.querySelector('.requests b')?.textContent).toBe('Bar')
  expect(document.querySelector('.services [data-asked]')?.textContent).toBe('Bar')
  for (const name of ['Water', 'Check/Bill']) await act(async () => void fireEvent.click(tile(name)))
  expect(sent).toEqual([
    expect.objectContaining({ serviceType: 'other', need: 'water' }),
    expect.objectContaining({ serviceType: 'check' }),
  ])
  expect(sent[1]).not.toHaveProperty('need')
  expect([...document.querySelectorAll('.requests b')].map(({ textContent }) => textContent)).toEqual([
    'Bar',
    'Water',
    'Check/Bill',
  ])
  expect(tile('Call Waiter').className).toBe('primary')
})

it('sends the need, the choice and the note', async () => {
  const sent: unknown[] = []
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body))
    return Response.json({ request: buildRequest({ id: 'r', tableNumber: '7' }) }, { status: 201 })
  })
  const outbox = startTapQueue()
  render(<GuestApp page={buildGuestPage({ needs })} outbox={outbox} />)
  const { id: _, at: __, k: ___, ...place } = { ...buildTap(), serviceType: 'other' }
  fireEvent.input(screen.getByLabelText(/^Note for the crew/u), { target: { value: 'No ice' } })
  expect(screen.getByText('6 / 140')).toBeDefined()
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Send', hidden: true })))
  expect(sent).toEqual([{ ...place, id: expect.any(String), need: 'water', note: 'No ice' }])
  expect(await screen.findByText('Request Sent!')).toBeDefined()
  fireEvent.click(screen.getByRole('button', { name: 'Send Another Request' }))

  fireEvent.click(tile('Check/Bill'))
  await act(async () => void fireEvent.click(tile('Cash')))
  expect(sent[1]).toEqual({ ...place, id: expect.any(String), serviceType: 'check', choice: 'cash' })
  fireEvent.click(await screen.findByRole('button', { name: 'Send Another Request' }))
  await act(async () => void fireEvent.click(tile('Bar')))
  expect(sent[2]).toEqual({ ...place, id: expect.any(String), serviceType: 'drinks' })
})

it('keeps a note that is not sent yet, whatever takes the menu away', () => {
  const menu = (barrier: 'table_closed' | null) => {
    const { unmount } = render(<GuestApp page={buildGuestPage({ needs, barrier })} />)
    return unmount
  }
  const field = (): HTMLTextAreaElement => screen.getByLabelText<HTMLTextAreaElement>(/^Note for the crew/u)
  const open = menu(null)
  fireEvent.input(field(), { target: { value: 'No nuts' } })
  open()
  const closed = menu('table_closed')
  expect(screen.queryByLabelText(/^Note for the crew/u)).toBeNull()
  closed()
  menu(null)
  expect(field().value).toBe('No nuts')
  expect(screen.getByText('7 / 140')).toBeDefined()
})

const refuse = (code: string): Response => Response.json({ code, message: 'Not now' }, { status: 409 })

it('brings a note back whose request is refused, also where that takes the menu away', async () => {
  vi.stubGlobal('fetch', async (_url: string, init?: { method?: string }) =>
    init?.method === 'POST' ? refuse('table_muted') : Response.json({ requests: [], listening: true }),
  )
  const field = (): HTMLTextAreaElement => screen.getByLabelText<HTMLTextAreaElement>(/^Note for the crew/u)
  const { unmount } = render(<GuestApp page={buildGuestPage({ needs })} outbox={startTapQueue()} />)
  fireEvent.input(field(), { target: { value: 'No nuts' } })
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Send', hidden: true })))
  expect(await screen.findByRole('heading', { name: 'Please wave to your waiter.' })).toBeDefined()
  unmount()
  render(<GuestApp page={buildGuestPage({ needs })} />)
  expect(field().value).toBe('No nuts')
  expect(screen.getByText('7 / 140')).toBeDefined()
})

it.each([
  ['', 'No nuts'],
  ['No ice', 'No ice'],
])('brings back a note of an earlier page that is refused, but not over “%s”', async (written, kept) => {
  const refused = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => refused.promise)
  const outbox = startTapQueue()
  render(<GuestApp page={buildGuestPage({ needs })} outbox={outbox} />)
  const field = screen.getByLabelText<HTMLTextAreaElement>(/^Note for the crew/u)
  if (written) fireEvent.input(field, { target: { value: written } })
  outbox.add({ ...buildTap(), serviceType: 'other', need: 'water', note: 'No nuts' })
  await act(async () => refused.resolve(refuse('need_paused')))
  expect((await screen.findByRole('alert')).textContent).toBe('Not now')
  expect(field.value).toBe(kept)
  expect(screen.getByText(`${kept.length} / 140`)).toBeDefined()
})

const cutText = 'Sent, but the crew cannot see all of your note. Please wave to your waiter.'

it.each([
  ['open', {}],
  ['done by now', { closed: 'completed' }],
])('promises nothing where the crew cannot see all of a note, and brings it back: %s', async (_, more) => {
  const need = { id: 'water', name: { en: 'Water' }, icon: 'water' } as const
  const request = buildRequest({ id: 'r', tableNumber: '7', serviceType: 'other', need })
  vi.stubGlobal('fetch', async (_url: string, init?: { method?: string }) =>
    init?.method === 'POST'
      ? Response.json({ request, listening: true, noteCut: true, ...more })
      : Response.json({ requests: [request], listening: true, barrier: null, needs }),
  )
  const field = (): HTMLTextAreaElement => screen.getByLabelText<HTMLTextAreaElement>(/^Note for the crew/u)
  const { unmount } = render(<GuestApp page={buildGuestPage({ needs })} outbox={startTapQueue()} />)
  fireEvent.input(field(), { target: { value: 'No nuts' } })
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Send', hidden: true })))
  expect((await screen.findByRole('alert')).textContent).toBe(cutText)
  expect(screen.queryByText('Request Sent!')).toBeNull()
  expect(field().value).toBe('No nuts')
  // Nor does the table's list say that the crew has it.
  expect(await screen.findByRole('heading', { name: 'What do you need?' })).toBeDefined()
  expect(document.querySelector('.requests b')?.textContent).toBe('Water')
  expect(document.querySelector('.requests q')).toBeNull()
  unmount()
  render(<GuestApp page={buildGuestPage({ needs })} />)
  expect(field().value).toBe('No nuts')
})

const promise = 'Request Sent!Your waiter will be with you shortly'
it.each([
  [true, {}, promise],
  [false, {}, 'Sent'],
  [true, { listening: false }, 'Sent'],
  [false, { listening: true }, promise],
])(
  'promises who writes a note a waiter only while somebody listens: %s, then %o',
  async (listening, answer, text) => {
    const request = buildRequest({ id: 'r', tableNumber: '7' })
    vi.stubGlobal('fetch', async () => Response.json({ request, ...answer }, { status: 201 }))
    render(<GuestApp page={buildGuestPage({ needs, listening })} outbox={startTapQueue()} />)
    fireEvent.input(screen.getByLabelText(/^Note for the crew/u), { target: { value: 'No ice' } })
    await act(async () => void fireEvent.click(tile('Bar')))
    expect((await screen.findByRole('alert')).textContent).toBe(text)
  },
)

it('leaves the menu to who writes a note when an earlier tap is stored, and the note its own direction', async () => {
  vi.stubGlobal('fetch', async () =>
    Response.json({ request: buildRequest({ id: 'r', tableNumber: '7' }) }, { status: 201 }),
  )
  const outbox = startTapQueue()
  const need = { id: 'water', name: { en: 'Water' }, icon: 'water' } as const
  const request = buildRequest({ id: 'r1', tableNumber: '7', serviceType: 'other', need, note: 'لا ثلج' })
  render(<GuestApp page={buildGuestPage({ needs, requests: [request] })} outbox={outbox} />)
  const field = screen.getByLabelText<HTMLTextAreaElement>(/^Note for the crew/u)
  expect([field.dir, document.querySelector('q')?.dir]).toEqual(['auto', 'auto'])
  fireEvent.input(field, { target: { value: 'No ice' } })
  await act(async () => void fireEvent.click(tile('Bar')))
  expect((await screen.findByRole('alert')).textContent).toContain('Request Sent!')
  expect(field.isConnected).toBe(true)
  expect(field.value).toBe('No ice')
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Send', hidden: true })))
  expect(await screen.findByRole('button', { name: 'Send Another Request' })).toBeDefined()
})
