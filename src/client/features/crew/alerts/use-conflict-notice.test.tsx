// @vitest-environment jsdom
import { act, fireEvent, render, screen } from '@testing-library/react'
import type { JSX } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import type { ClientMessageInput, ServerMessage } from '#contract/live.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { stubHeldSockets } from '../../../../../test/support/pages/jsdom-socket.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { LiveChannel } from '../../../api/live/live-channel.ts'
import { LiveContext } from '../../../api/live/use-live.ts'
import { ToastProvider } from '../../../ui/toast/toast.tsx'
import type { RequestAction } from '../requests/requests-reducer.ts'
import { useRequests } from '../requests/use-requests.ts'

const [maya, leo] = [
  { id: 'maya', name: 'Maya' },
  { id: 'leo', name: 'Leo' },
]
const four = buildRequest({ id: 'a', tableNumber: '4' })
const seven = buildRequest({ id: 'b', tableNumber: '7' })
const leosFour: ServiceRequest = { ...four, state: 'accepted', acceptedBy: leo }

let sockets: EventTarget[]
let sent: ClientMessageInput[]

beforeEach(() => {
  vi.useFakeTimers()
  ;({ sockets, sent } = stubHeldSockets())
  const message = { type: 'pending-requests' as const, seq: 3, requests: [four, seven], recent: [] }
  render(
    <LiveContext value={new LiveChannel({ kept: { message, at: Date.now() } })}>
      <ToastProvider>
        <Screen />
      </ToastProvider>
    </LiveContext>,
  )
})

function Screen(): JSX.Element {
  const { act: tap, conflict } = useRequests(maya)
  const buttons: [string, RequestAction, ServiceRequest][] = [
    ['On my way to 4', 'accept', four],
    ['Complete 7', 'complete', seven],
  ]
  return (
    <>
      {buttons.map(([name, action, request]) => (
        <button key={name} type="button" onClick={() => tap(action, request)}>
          {name}
        </button>
      ))}
      <p role="status">{conflict}</p>
    </>
  )
}

const notice = (): string | null => screen.getByRole('status').textContent

const pass = (ms: number): Promise<void> => act(async () => void (await vi.advanceTimersByTimeAsync(ms)))

const tap = (name: string): boolean => fireEvent.click(screen.getByRole('button', { name }))

const onSocket = (event: Event): boolean | undefined => sockets.at(-1)?.dispatchEvent(event)

/** As messages that come so close together that React renders none of them apart. */
const receive = (...messages: ServerMessage[]): Promise<void> =>
  act(async () => {
    for (const message of messages) onSocket(new MessageEvent('message', { data: JSON.stringify(message) }))
  })

const refOf = (type: ClientMessageInput['type']): string | undefined =>
  sent.findLast((message) => message.type === type)?.ref

async function connect(): Promise<void> {
  await pass(100)
  await act(async () => void onSocket(new Event('open')))
}

const list = (...requests: ServiceRequest[]): ServerMessage => ({
  type: 'pending-requests',
  seq: 4,
  requests,
  recent: [],
})

it('names the colleague whose acceptance the answer tells before the list does', async () => {
  tap('On my way to 4')
  await connect()
  await receive(list(four, seven), { type: 'ack', ref: refOf('accept-request'), request: leosFour })
  await pass(100)
  expect(notice()).toBe('Leo was first: table 4')
})

it('waits for the list to show what the tap was answered with', async () => {
  tap('Complete 7')
  await connect()
  await receive(list(four, seven), { type: 'ack', ref: refOf('complete-request') })
  await pass(100)
  expect(notice()).toBe('')
  await receive({ type: 'request-completed', seq: 5, id: seven.id, by: leo })
  await pass(100)
  expect(notice()).toBe('Leo was first: table 7')
})

it('goes by the list that comes after the answer, and names everybody at once', async () => {
  tap('On my way to 4')
  tap('Complete 7')
  await connect()
  const answers: ServerMessage[] = [
    { type: 'ack', ref: refOf('accept-request'), request: leosFour },
    { type: 'ack', ref: refOf('complete-request') },
  ]
  await receive(...answers)
  await pass(100)
  expect(notice()).toBe('')
  const recent = [{ request: seven, closedAt: Date.now(), by: leo }]
  await receive({ type: 'pending-requests', seq: 4, requests: [leosFour], recent })
  await pass(100)
  expect(notice()).toBe('Leo was first: table 4 · Leo was first: table 7')
  await pass(15_000)
  expect(notice()).toBe('')
})

it('says nothing of a tap that took effect, nor waits for one that was refused', async () => {
  tap('On my way to 4')
  tap('Complete 7')
  await connect()
  const mayasFour: ServiceRequest = { ...four, state: 'accepted', acceptedBy: maya }
  await receive(
    list(mayasFour, seven),
    { type: 'ack', ref: refOf('accept-request'), request: mayasFour },
    { type: 'error', ref: refOf('complete-request'), code: 'conflict', message: 'Too late: Waiting again' },
  )
  await pass(100)
  expect(notice()).toBe('')
  // The next outage begins anew.
  await act(async () => void onSocket(new CloseEvent('close', { code: 1006 })))
  tap('Complete 7')
  await pass(2_000)
  await connect()
  const recent = [{ request: seven, closedAt: Date.now(), by: leo }]
  await receive(
    { type: 'pending-requests', seq: 5, requests: [mayasFour], recent },
    {
      type: 'ack',
      ref: refOf('complete-request'),
    },
  )
  await pass(100)
  expect(notice()).toBe('Leo was first: table 7')
})
