// @vitest-environment jsdom
import { act, fireEvent, render, renderHook, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ServerMessage } from '#contract/live.ts'
import { barrierMessages } from '#contract/requests/requests.ts'
import { buildGuestPage, buildTap } from '../../../../../test/support/pages/guest-page.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { GuestApp } from '../guest-app.tsx'
import * as part from '../menu/own-needs-part.tsx'
import { ownNeeds } from '../menu/own-needs.ts'
import { createBrowserOutbox } from '../taps/browser-outbox.ts'
import { GuestChannel } from './guest-channel.ts'
import { useTableRequests } from './use-table-requests.ts'

/** The other end of the guest's live channel. */
class Peer extends EventTarget {
  static current: Peer | undefined
  readonly sent: { type: string; ref: string }[] = []
  constructor() {
    super()
    Peer.current = this
  }
  send(text: string): void {
    const message = JSON.parse(text)
    this.sent.push(message)
    if (message.type !== 'ping') return
    const data = JSON.stringify({ type: 'ack', ref: message.ref })
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data })))
  }
  close(): void {}
}

const place = { restaurantId: 'Blue Door', tableNumber: '7', k: null }
const initial = { open: [], done: [], listening: true, barrier: null }
const mine = { requests: [], listening: true, barrier: null }
const empty = { listening: true, requests: [] }

let fetched = 0
let answer: () => Response

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  vi.stubGlobal('WebSocket', Peer)
  fetched = 0
  answer = () => Response.json(mine)
  vi.stubGlobal('fetch', async () => {
    fetched += 1
    return answer()
  })
})
afterEach(() => {
  localStorage.clear()
  ownNeeds.part = undefined
  delete ownNeeds.load
})

const say = (message: ServerMessage): Promise<void> =>
  act(async () => {
    Peer.current?.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
    await vi.advanceTimersByTimeAsync(0)
  })

const lastRef = (): string => Peer.current?.sent.findLast(({ type }) => type !== 'ping')?.ref ?? ''

/** How often the page has named its table. */
const asked = (): number => Peer.current?.sent.filter(({ type }) => type !== 'ping').length ?? 0

/** A page whose channel is up and follows its table. */
async function followTable() {
  const live = new GuestChannel()
  const { result } = renderHook(() => useTableRequests(place, initial, live))
  await act(async () => void Peer.current?.dispatchEvent(new Event('open')))
  await say({ type: 'ack', ref: lastRef(), ...empty })
  return { live, result }
}

it('asks again for a change of the table that could not be fetched, though the channel is up', async () => {
  const { live, result } = await followTable()
  answer = () => Response.json({ code: 'unavailable', message: 'Busy' }, { status: 503 })
  await say({ type: 'table-changed' })
  expect(fetched).toBe(1)
  await say({ type: 'presence', listening: true, screens: 1 })
  expect(live.isLive).toBe(true)
  answer = () => Response.json({ ...mine, barrier: 'table_muted' })
  await act(() => vi.advanceTimersByTimeAsync(20_000))
  expect(result.current.table.barrier).toBe('table_muted')
  const before = fetched
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(fetched).toBe(before)
})

it('polls until the channel follows the table, and again when it cannot', async () => {
  const live = new GuestChannel()
  renderHook(() => useTableRequests(place, initial, live))
  await act(async () => void Peer.current?.dispatchEvent(new Event('open')))
  await say({ type: 'presence', listening: true, screens: 1 })
  expect(live.isLive).toBe(false)
  await act(() => vi.advanceTimersByTimeAsync(20_000))
  expect(fetched).toBe(1)
  await say({ type: 'error', ref: lastRef(), code: 'unavailable', message: 'Busy' })
  expect(live.isLive).toBe(false)
  await act(() => vi.advanceTimersByTimeAsync(5_000))
  await say({ type: 'ack', ref: lastRef(), ...empty })
  expect(live.isLive).toBe(true)
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(fetched).toBe(1)
})

it.each(['rate_limited', 'unavailable'] as const)(
  'asks again until the server lets the channel follow the table, after a refusal as %s',
  async (code) => {
    const live = new GuestChannel()
    renderHook(() => useTableRequests(place, initial, live))
    await act(async () => void Peer.current?.dispatchEvent(new Event('open')))
    for (let refusals = 1; refusals <= 3; refusals++) {
      await say({ type: 'error', ref: lastRef(), code, message: 'Please wait' })
      expect(live.isLive).toBe(false)
      await act(() => vi.advanceTimersByTimeAsync(30_000))
      expect(asked()).toBeGreaterThan(refusals)
    }
    expect(fetched).toBeGreaterThanOrEqual(4)
    await say({ type: 'ack', ref: lastRef(), ...empty })
    expect(live.isLive).toBe(true)
    const before = asked()
    await act(() => vi.advanceTimersByTimeAsync(60_000))
    expect(asked()).toBe(before)
  },
)

it('asks again when the answer was lost, and no more for a table that is gone', async () => {
  const live = new GuestChannel()
  renderHook(() => useTableRequests(place, initial, live))
  await act(async () => void Peer.current?.dispatchEvent(new Event('open')))
  expect(asked()).toBe(1)
  await act(() => vi.advanceTimersByTimeAsync(10_000))
  expect(asked()).toBe(2)
  await say({ type: 'error', ref: lastRef(), code: 'not_found', message: 'Table not found' })
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(asked()).toBe(2)
  expect(live.isLive).toBe(false)
})

it('loads what draws needs that only the channel tells of', async () => {
  const { result } = await followTable()
  const needs = [{ id: 'water', name: { en: 'Water' } }]
  answer = () => Response.json({ ...mine, needs })
  ownNeeds.load = async () => {
    ownNeeds.part = part
  }
  await say({ type: 'ack', ref: lastRef(), ...empty, needs })
  expect(ownNeeds.part).toBe(part)
  expect(result.current.table.needs).toEqual(needs)
  expect(fetched).toBe(1)
  await say({ type: 'ack', ref: lastRef(), ...empty, needs })
  expect(fetched).toBe(1)
})

it('follows the table as the new visit, once the guest has started one', async () => {
  const page = buildGuestPage({ expired: true, ended: true, barrier: 'visit_expired' })
  const live = new GuestChannel()
  render(<GuestApp page={page} live={live} />)
  const first = Peer.current
  await act(async () => void first?.dispatchEvent(new Event('open')))
  await say({ type: 'ack', ref: lastRef(), ...empty, barrier: 'visit_expired' })
  const order: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    order.push(`${url.split('?')[0]} ${Peer.current === first ? 'before' : 'after'}`)
    return Response.json(mine)
  })
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Start New Session' })))
  expect(order).toEqual(['/customer before', '/api/service-requests/mine after'])
  await act(async () => void Peer.current?.dispatchEvent(new Event('open')))
  expect(live.isLive).toBe(false)
  await say({ type: 'ack', ref: lastRef(), ...empty })
  expect(live.isLive).toBe(true)
})

it('follows the table anew when its visit is over, and when the crew takes that back', async () => {
  const { result } = await followTable()
  expect(asked()).toBe(1)
  answer = () => Response.json({ ...mine, barrier: 'visit_expired' })
  await say({ type: 'table-changed' })
  expect(result.current.table.barrier).toBe('visit_expired')
  expect(asked()).toBe(2)
  await say({ type: 'ack', ref: lastRef(), ...empty, barrier: 'visit_expired' })
  answer = () => Response.json(mine)
  await say({ type: 'table-changed' })
  expect(result.current.table.barrier).toBeNull()
  expect(asked()).toBe(3)
})

const drinks = buildRequest({ id: 'tap-1', tableNumber: '7' })

const expiry = 'Your session has expired after 3 hours.'

it('says that the visit has expired when the phone wakes up, until another tab has begun a new one', async () => {
  await openPage()
  expect(screen.queryByText(expiry, { exact: false })).toBeNull()
  answer = () => Response.json({ ...mine, expired: true })
  await act(async () => void window.dispatchEvent(new Event('online')))
  expect(screen.getByText(expiry, { exact: false })).toBeDefined()
  answer = () => Response.json(mine)
  await act(async () => void window.dispatchEvent(new Event('online')))
  expect(screen.queryByText(expiry, { exact: false })).toBeNull()
  expect(screen.getByText('What do you need?')).toBeDefined()
})

it('stays in the new visit when an answer from before it comes late', async () => {
  await openPage({ expired: true })
  const asked = holdAnswers()
  await act(async () => void window.dispatchEvent(new Event('online')))
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Start New Session' })))
  await settle(asked[1], {})
  await settle(asked[2], mine)
  expect(screen.getByText('What do you need?')).toBeDefined()
  await settle(asked[0], { ...mine, expired: true })
  expect(screen.getByText('What do you need?')).toBeDefined()
})

/** The page, whose channel follows the table; what it tells of each request. */
async function openPage(page: Parameters<typeof buildGuestPage>[0] = {}, outbox = createBrowserOutbox()) {
  render(<GuestApp page={buildGuestPage(page)} outbox={outbox} live={new GuestChannel()} />)
  await act(async () => void Peer.current?.dispatchEvent(new Event('open')))
  await say({ type: 'ack', ref: lastRef(), ...empty, requests: page.requests ?? [] })
  const told = () => [...document.querySelectorAll('.requests strong')].map(({ textContent }) => textContent)
  return { outbox, told }
}

/** What is posted is answered so; everything else that is asked for is empty. */
const answerPosts = (reply: () => Response | Promise<Response>): void =>
  void vi.stubGlobal('fetch', async (_url: string, init?: { method?: string }) =>
    init?.method === 'POST' ? reply() : Response.json(mine),
  )

it('tells of a tap once, though the channel knows of it before it is answered', async () => {
  answerPosts(() => new Promise(() => undefined))
  const { outbox, told } = await openPage()
  await act(async () => outbox.add(buildTap()))
  expect(told()).toEqual(['Sending…'])
  await say({ type: 'new-request', request: drinks })
  expect(told()).toEqual(['Sent'])
  await say({ type: 'request-completed', id: drinks.id, by: null })
  expect(told()).toEqual(['Done'])
  await act(() => vi.advanceTimersByTimeAsync(10_000))
  expect(told()).toEqual([])
  expect(outbox.waiting()).toHaveLength(1)
})

it.each([
  ['completed', ['Done']],
  ['cancelled', []],
])('does not call a tap sent whose request is %s by the time it is answered', async (closed, states) => {
  const answer = Promise.withResolvers<Response>()
  answerPosts(() => answer.promise)
  const { outbox, told } = await openPage()
  await act(async () => outbox.add(buildTap()))
  expect(told()).toEqual(['Sending…'])
  answer.resolve(Response.json({ request: drinks, listening: true, closed }))
  await act(() => vi.advanceTimersByTimeAsync(0))
  expect(screen.queryByText('Request Sent!')).toBeNull()
  expect(told()).toEqual(states)
  await act(() => vi.advanceTimersByTimeAsync(10_000))
  expect(told()).toEqual([])
})

it('says of a refused tap that the crew has ended the visit, also while nothing else is answered', async () => {
  const refusal = { code: 'visit_expired', message: barrierMessages.visit_expired }
  vi.stubGlobal('fetch', (_url: string, init?: { method?: string }) =>
    init?.method === 'POST'
      ? Promise.resolve(Response.json(refusal, { status: 410 }))
      : new Promise(() => undefined),
  )
  const { outbox } = await openPage()
  await act(async () => outbox.add(buildTap()))
  expect(screen.getByText('Session Expired')).toBeDefined()
  expect(document.querySelector('.lead')?.textContent).toContain(refusal.message)
})

it('says in a new visit nothing of what was done in the one before', async () => {
  answerPosts(() => new Response())
  const { told } = await openPage({ requests: [drinks] })
  await say({ type: 'request-completed', id: drinks.id, by: null })
  expect(told()).toEqual(['Done'])
  await say({ type: 'ack', ref: lastRef(), ...empty, barrier: 'visit_expired' })
  const button = screen.getByRole('button', { name: 'Start New Session' })
  await act(() => vi.advanceTimersByTimeAsync(10_000))
  await act(async () => void fireEvent.click(button))
  expect(screen.getByText('What do you need?')).toBeDefined()
  expect(told()).toEqual([])
})

it.each([
  ['table', { code: 'not_found', message: 'Table not found', params: { table: '7' } }],
  ['restaurant', { code: 'not_found', message: 'Restaurant not found' }],
])('loads the page again, which says so, when there is no such %s any more', async (_, gone) => {
  const reload = vi.fn<() => void>()
  vi.stubGlobal('location', { reload })
  await followTable()
  answer = () => Response.json({ code: 'rate_limited', message: 'Please wait' }, { status: 429 })
  await say({ type: 'table-changed' })
  expect(fetched).toBe(1)
  expect(reload).not.toHaveBeenCalled()
  answer = () => Response.json(gone, { status: 404 })
  await say({ type: 'table-changed' })
  expect(reload).toHaveBeenCalledOnce()
})

it('is not loaded again because a table is gone that the guest has left', async () => {
  const reload = vi.fn<() => void>()
  vi.stubGlobal('location', { reload })
  const asked = holdAnswers()
  const { result, rerender } = renderHook(
    (tableNumber: string) => useTableRequests({ ...place, tableNumber }, initial, undefined),
    { initialProps: '6' },
  )
  const answerGone = (held: (typeof asked)[number] | undefined): Promise<void> =>
    act(async () => {
      held?.resolve(Response.json({ code: 'not_found', message: 'Table not found' }, { status: 404 }))
      await vi.advanceTimersByTimeAsync(0)
    })
  act(() => result.current.refresh())
  rerender('7')
  await answerGone(asked[0])
  expect(reload).not.toHaveBeenCalled()
  act(() => result.current.refresh())
  await answerGone(asked[1])
  expect(reload).toHaveBeenCalledOnce()
})

/** What is asked for is answered when the test says so, by the request that was asked for then. */
function holdAnswers(): PromiseWithResolvers<Response>[] {
  const asked: PromiseWithResolvers<Response>[] = []
  vi.stubGlobal('fetch', () => {
    const held = Promise.withResolvers<Response>()
    asked.push(held)
    return held.promise
  })
  return asked
}

const settle = (held: PromiseWithResolvers<Response> | undefined, reply: object): Promise<void> =>
  act(async () => {
    held?.resolve(Response.json(reply))
    await vi.advanceTimersByTimeAsync(0)
  })

const ids = (requests: readonly { id: string }[]): string[] => requests.map(({ id }) => id)

it('does not bring back what was cancelled while a list was on its way', async () => {
  const { result } = await followTable()
  await say({ type: 'new-request', request: drinks })
  const asked = holdAnswers()
  await act(async () => result.current.refresh())
  await act(async () => result.current.dispatch({ type: 'cancelled-here', id: drinks.id }))
  await settle(asked[0], { ...mine, requests: [drinks] })
  expect(ids(result.current.table.open)).toEqual([])
  await settle(asked[1], mine)
  expect([ids(result.current.table.open), asked.length]).toEqual([[], 2])
})

it('does not bring it back by the list of a channel that was asked before', async () => {
  const live = new GuestChannel()
  const { result } = renderHook(() => useTableRequests(place, { ...initial, open: [drinks] }, live))
  await act(async () => void Peer.current?.dispatchEvent(new Event('open')))
  await act(async () => result.current.dispatch({ type: 'cancelled-here', id: drinks.id }))
  const asked = holdAnswers()
  await say({ type: 'ack', ref: lastRef(), ...empty, requests: [drinks] })
  expect(ids(result.current.table.open)).toEqual([])
  await settle(asked[0], { ...mine, barrier: 'table_muted' })
  expect([ids(result.current.table.open), result.current.table.barrier]).toEqual([[], 'table_muted'])
})

it('takes no list of the channel that came late, after the page had asked for another', async () => {
  const live = new GuestChannel()
  const { result } = renderHook(() => useTableRequests(place, { ...initial, open: [drinks] }, live))
  await act(async () => void Peer.current?.dispatchEvent(new Event('open')))
  const first = lastRef()
  const late = (ref: string): ServerMessage => ({ type: 'ack', ref, ...empty, requests: [drinks] })
  await act(async () => result.current.dispatch({ type: 'cancelled-here', id: drinks.id }))
  await act(() => vi.advanceTimersByTimeAsync(10_000))
  expect(asked()).toBe(2)
  const before = fetched
  await say(late(first))
  expect([ids(result.current.table.open), fetched]).toEqual([[], before])
  // The crew moves the party, and the page asks for the list of its new table.
  answer = () => Response.json({ ...mine, movedTo: '9' })
  await say({ type: 'table-changed' })
  expect([result.current.table.movedTo, asked()]).toEqual(['9', 3])
  await say(late(String(Number(lastRef()) - 1)))
  expect([result.current.table.movedTo, asked()]).toEqual(['9', 3])
  expect(live.isLive).toBe(false)
  await say({ type: 'ack', ref: lastRef(), ...empty, movedTo: '9' })
  expect([ids(result.current.table.open), result.current.table.movedTo]).toEqual([[], '9'])
  expect(live.isLive).toBe(true)
})

it('does not hide what was sent while a list was on its way', async () => {
  const { result } = await followTable()
  const asked = holdAnswers()
  await act(async () => result.current.refresh())
  // Later than the page asked for its first list.
  const tappedAt = Date.now() + 1_000
  await act(async () => result.current.applyAnswer(drinks, tappedAt))
  await settle(asked[0], mine)
  expect(ids(result.current.table.open)).toEqual([drinks.id])
  await settle(asked[1], { ...mine, requests: [drinks] })
  expect([ids(result.current.table.open), asked.length]).toEqual([[drinks.id], 2])
})

it('shows what was sent though a list came before its answer, which is not yet in it', async () => {
  const { result } = await followTable()
  const tappedAt = Date.now() - 1_000
  await act(async () => result.current.refresh())
  const asked = holdAnswers()
  await act(async () => result.current.applyAnswer(drinks, tappedAt))
  expect(ids(result.current.table.open)).toEqual([drinks.id])
  expect(asked).toHaveLength(1)
  // The list knows more than an answer that was slower.
  const accepted = { ...drinks, state: 'accepted' as const }
  await settle(asked[0], { ...mine, requests: [accepted] })
  await act(async () => result.current.applyAnswer(drinks, tappedAt))
  expect(result.current.table.open).toEqual([accepted])
})
