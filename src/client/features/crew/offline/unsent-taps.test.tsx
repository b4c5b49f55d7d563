// @vitest-environment jsdom
import { act, render, screen } from '@testing-library/react'
import { type ComponentProps, createElement } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ClientMessageInput } from '#contract/live.ts'
import { stubHeldSockets } from '../../../../../test/support/pages/jsdom-socket.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { LiveChannel } from '../../../api/live/live-channel.ts'
import { LiveContext } from '../../../api/live/use-live.ts'
import { setStored } from '../../../lib/browser/browser-storage.ts'
import { ToastProvider } from '../../../ui/toast/toast.tsx'
import type { RequestAction } from '../requests/requests-reducer.ts'
import { useRequests } from '../requests/use-requests.ts'
import { UnsentTaps } from './unsent-taps.tsx'

type Props = ComponentProps<typeof UnsentTaps>

const minuteMs = 60_000
const maya = { id: 'maya', name: 'Maya' }
const tap = { id: 'a', action: 'accept', tableNumber: '4', by: maya } as const
const unanswered: Props['unanswered'] = new Map([['a', 'accept']])
const tooOldText = 'Not sent, because the tap is over 15 minutes old: table 4'

beforeEach(() => {
  vi.useFakeTimers({ now: 10_000_000 })
  setStored('crew-member-id', 'maya')
})

function open(given: Partial<Props> = {}) {
  const props: Props = {
    me: maya,
    connected: false,
    open: [buildRequest({ id: 'a', tableNumber: '4' })],
    recent: [],
    unanswered: new Map(),
    resend: vi.fn<Props['resend']>(),
    withdraw: vi.fn<Props['withdraw']>(() => true),
    ...given,
  }
  const { rerender } = render(createElement(UnsentTaps, props))
  return {
    ...props,
    update: (change: Partial<Props>) => rerender(createElement(UnsentTaps, { ...props, ...change })),
  }
}

function showOnChannel(): void {
  const live = new LiveChannel()
  const Screen = () => createElement(UnsentTaps, { ...useRequests(maya), me: maya })
  render(
    createElement(LiveContext, { value: live }, createElement(ToastProvider, null, createElement(Screen))),
  )
}

const keep = (...taps: object[]): void => localStorage.setItem('unsent-taps', JSON.stringify(taps))
const kept = (): unknown => JSON.parse(localStorage.getItem('unsent-taps') ?? 'null')

it('keeps a tap with its moment until it is answered', () => {
  const { update } = open()
  const at = Date.now()
  update({ unanswered })
  expect(kept()).toEqual([{ ...tap, at }])
  vi.setSystemTime(at + minuteMs)
  update({ unanswered: new Map([...unanswered, ['b', 'complete']]), connected: true })
  expect(kept()).toEqual([{ ...tap, at }])
  update({ connected: true })
  expect(kept()).toBeNull()
})

it('sends the taps of the page before again, in order, and only of the same crew member', () => {
  const at = Date.now() - 14 * minuteMs
  const leos = { ...tap, id: 'c', by: { id: 'leo', name: 'Leo' }, at }
  keep({ ...tap, at }, leos, { ...tap, id: 'b', action: 'complete', at })
  const { resend } = open()
  expect(vi.mocked(resend).mock.calls.map(([{ id, action }]) => [id, action])).toEqual([
    ['a', 'accept'],
    ['b', 'complete'],
  ])
})

it('tells of a tap that is too old instead of sending it', () => {
  keep({ ...tap, at: Date.now() - 15 * minuteMs })
  const { resend } = open()
  expect(resend).not.toHaveBeenCalled()
  expect(screen.getByRole('status').textContent).toBe(tooOldText)
  expect(kept()).toBeNull()
})

it('withdraws a tap that was never sent while the page was open', () => {
  const { update, withdraw } = open()
  update({ unanswered })
  act(() => void vi.advanceTimersByTime(15 * minuteMs))
  expect(withdraw).toHaveBeenCalledWith('accept', 'a')
  expect(screen.getByRole('status').textContent).toBe(tooOldText)
  act(() => void vi.advanceTimersByTime(minuteMs))
  expect(screen.getByRole('status').textContent).toBe('')
})

it('says nothing of a tap that may have been sent', () => {
  const { update } = open({ withdraw: () => false })
  update({ unanswered, withdraw: () => false })
  act(() => void vi.advanceTimersByTime(15 * minuteMs))
  expect(screen.getByRole('status').textContent).toBe('')
})

it.each(['{"a":1}', '[null, 3, {"id":"a"}]', '[{'])('ignores what it does not understand: %s', (text) => {
  localStorage.setItem('unsent-taps', text)
  const { resend } = open()
  expect(resend).not.toHaveBeenCalled()
})

it('keeps the moment of a tap over a reload', () => {
  stubHeldSockets()
  const before = [{ ...tap, at: Date.now() - 14 * minuteMs }]
  keep(...before)
  showOnChannel()
  expect(kept()).toEqual(before)
  act(() => void vi.advanceTimersByTime(minuteMs))
  expect(screen.getByRole('status').textContent).toBe(tooOldText)
  expect(kept()).toBeNull()
})

it('keeps “On my way” with its moment where a completion after it is undone before both were sent', async () => {
  stubHeldSockets()
  const request = buildRequest({ id: 'a', tableNumber: '4' })
  const message = { type: 'pending-requests' as const, requests: [request], recent: [] }
  const live = new LiveChannel({ kept: { message, at: Date.now() } })
  const Screen = () => {
    const requests = useRequests(maya)
    const button = (action: RequestAction) =>
      createElement('button', { key: action, onClick: () => requests.act(action, request) }, action)
    return createElement(
      'div',
      null,
      createElement(UnsentTaps, { ...requests, me: maya }),
      createElement('output', null, requests.unsent.get('a'), ' ', requests.open[0]?.acceptedBy?.name),
      ...(['accept', 'complete', 'reopen'] as const).map(button),
    )
  }
  render(
    createElement(LiveContext, { value: live }, createElement(ToastProvider, null, createElement(Screen))),
  )
  const shown = (): string | null => document.querySelector('output')?.textContent ?? null
  const press = async (action: RequestAction): Promise<void> => {
    await act(async () => screen.getByRole('button', { name: action }).click())
    act(() => void vi.advanceTimersByTime(100))
  }
  const at = Date.now()
  await press('accept')
  expect(kept()).toMatchObject([tap])
  vi.setSystemTime(at + minuteMs)
  await press('complete')
  expect(kept()).toMatchObject([{ ...tap, action: 'complete' }])
  await press('reopen')
  expect(shown()).toBe('accept Maya')
  expect(kept()).toEqual([{ ...tap, at: expect.closeTo(at, -3) }])
})

describe('on a channel', () => {
  let sockets: EventTarget[]
  let sent: ClientMessageInput[]
  beforeEach(() => {
    ;({ sockets, sent } = stubHeldSockets())
  })
  const openChannel = (): Promise<void> => act(async () => void sockets[0]?.dispatchEvent(new Event('open')))

  it('sends nothing late when a device wakes up without an event, and says so', async () => {
    keep({ ...tap, at: Date.now() })
    showOnChannel()
    vi.setSystemTime(Date.now() + 15 * minuteMs)
    await openChannel()
    expect(sent.map(({ type }) => type)).toEqual(['get-pending-requests'])
    expect(screen.getByText('Not sent, because the tap waited too long for the connection')).toBeDefined()
  })

  it('says how old a tap of the page before is, and at which table it came too late', async () => {
    keep({ ...tap, at: Date.now() - 5 * minuteMs })
    showOnChannel()
    await openChannel()
    expect(sent.at(-1)).toMatchObject({ type: 'accept-request', id: 'a', ageMs: 5 * minuteMs })
    const refusal = {
      type: 'error',
      ref: sent.at(-1)?.ref,
      code: 'conflict',
      message: 'Too late: Waiting again',
    }
    await act(
      async () =>
        void sockets[0]?.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(refusal) })),
    )
    expect(screen.getByRole('alert').textContent).toBe('Table 4Too late: Waiting again')
    act(() => void vi.advanceTimersByTime(100))
    expect(kept()).toBeNull()
  })
})

it('withdraws a later tap although one before it may have been sent', () => {
  const withdraw = vi.fn<Props['withdraw']>((_, id) => id === 'b')
  const requests = [buildRequest({ id: 'a', tableNumber: '9' }), buildRequest({ id: 'b', tableNumber: '4' })]
  const { update } = open({ withdraw, open: requests })
  update({ unanswered })
  act(() => void vi.advanceTimersByTime(minuteMs))
  update({ unanswered: new Map([...unanswered, ['b', 'complete']]) })
  act(() => void vi.advanceTimersByTime(14 * minuteMs))
  expect(screen.getByRole('status').textContent).toBe('')
  act(() => void vi.advanceTimersByTime(minuteMs))
  expect(screen.getByRole('status').textContent).toBe(tooOldText)
})

it('withdraws what became too old while the device slept, as soon as it wakes up', () => {
  const { update, withdraw } = open()
  update({ unanswered })
  vi.setSystemTime(Date.now() + 15 * minuteMs)
  act(() => void window.dispatchEvent(new Event('online')))
  expect(withdraw).toHaveBeenCalledWith('accept', 'a')
})
