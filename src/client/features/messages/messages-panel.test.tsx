// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew/crew.ts'
import { dayMs, minuteMs } from '#contract/durations.ts'
import { stubHeldSockets } from '../../../../test/support/pages/jsdom-socket.ts'
import { LiveChannel } from '../../api/live/live-channel.ts'
import { LiveContext } from '../../api/live/use-live.ts'
import { createQueryClient, queryFor, queryOrNull } from '../../api/queries.ts'
import { ToastProvider } from '../../ui/toast/toast.tsx'
import { MessagesPanel } from './messages-panel.tsx'
import { countUnsent } from './unsent-messages.ts'

const restaurantId = 'The Copper Pot'
const query = { restaurantId }
const maya: CrewMember = { id: 'maya', name: 'Maya', role: 'Server' }
const leo: CrewMember = { id: 'leo', name: 'Leo', role: 'Server' }

beforeEach(() => {
  // jsdom has none.
  Element.prototype.scrollTo = () => {}
  vi.useFakeTimers({ now: 100 * dayMs })
})

function open({ confirmed = true, me = maya } = {}) {
  const { sockets, sent } = stubHeldSockets()
  const message = { type: 'pending-requests' as const, requests: [], recent: [] }
  const live = new LiveChannel({ kept: { message, at: Date.now() } })
  const release = live.acquire()
  const client = createQueryClient()
  client.setQueryData(queryOrNull(api.crew.byRestaurant, { query }).queryKey, [maya, leo])
  client.setQueryData(queryFor(api.floor.tablesByRestaurant, { query }).queryKey, [])
  const { unmount } = render(
    <QueryClientProvider client={client}>
      <LiveContext value={live}>
        <ToastProvider>
          <MessagesPanel {...{ me, confirmed, restaurantId }} tables={[]} onUnread={() => {}} />
        </ToastProvider>
      </LiveContext>
    </QueryClientProvider>,
  )
  return {
    sentTypes: () => sent.map(({ type }) => type),
    /** Also answers what the page says at once. */
    connect: () =>
      act(async () => {
        sockets[0]?.dispatchEvent(new Event('open'))
        const opening = sent.find((message) => message.type === 'resume')
        const answers = opening?.messages.map(({ ref }) => ({ type: 'ack', ref }))
        const data = JSON.stringify({ type: 'ack', ref: opening?.ref, answers })
        sockets[0]?.dispatchEvent(new MessageEvent('message', { data }))
      }),
    close: () => {
      unmount()
      release()
    },
  }
}

const passFrames = (): Promise<void> => act(async () => void (await vi.advanceTimersByTimeAsync(100)))

async function press(name: string): Promise<void> {
  fireEvent.click(screen.getAllByRole('button', { name })[0] ?? document.body)
  await passFrames()
}

const field = (): HTMLTextAreaElement => screen.getByRole('textbox', { name: 'Message' })
const type = (text: string): boolean => fireEvent.change(field(), { target: { value: text } })

async function openLeo(): Promise<void> {
  fireEvent.click(screen.getAllByRole('button', { name: /Leo/u })[0] ?? document.body)
  await passFrames()
}

it('keeps what is typed to a colleague while others are looked at', async () => {
  const { close } = open()
  await openLeo()
  type('Table 4 would like')
  await press('Back to contacts')
  await openLeo()
  expect(field().value).toBe('Table 4 would like')
  await press('Send')
  await press('Back to contacts')
  await openLeo()
  expect(field().value).toBe('')
  close()
})

async function writeToLeo(text: string): Promise<void> {
  const { close } = open()
  await openLeo()
  type(text)
  await press('Send')
  expect(screen.getByText('Sending…')).toBeDefined()
  close()
}

it('says how many messages wait on a page that was opened without the server', async () => {
  await writeToLeo('Are you there?')
  const before = open({ confirmed: false })
  expect(screen.getByText('One message waits to send')).toBeDefined()
  before.close()
  open({ confirmed: false, me: leo }).close()
  expect(screen.queryByText('One message waits to send')).toBeNull()
})

it('tells whoever wrote it of a message that waited too long, and of no other', async () => {
  await writeToLeo('Are you there?')
  vi.setSystemTime(Date.now() + 61 * minuteMs)
  const others = open({ me: leo })
  await passFrames()
  expect(screen.queryByRole('alert')).toBeNull()
  others.close()
  const own = open()
  await passFrames()
  await own.connect()
  expect(screen.getByRole('alert').textContent).toBe(
    'Are you there?Not sent, because the tap waited too long for the connection',
  )
  expect(own.sentTypes()).not.toContain('send-team-message')
  own.close()
  const { close } = open({ confirmed: false })
  expect(screen.queryByText('One message waits to send')).toBeNull()
  close()
})

it('sends no message that waited for more than an hour while the page was open', async () => {
  const { sentTypes, connect, close } = open()
  await openLeo()
  type('Are you there?')
  await press('Send')
  vi.setSystemTime(Date.now() + 61 * minuteMs)
  await connect()
  await passFrames()
  expect(sentTypes()).not.toContain('send-team-message')
  expect(screen.getByRole('alert').textContent).toBe(
    'Are you there?Not sent, because the tap waited too long for the connection',
  )
  close()
})

it('deletes a message that was not sent yet, which is then not sent', async () => {
  const { sentTypes, connect, close } = open()
  await openLeo()
  type('Are you there?')
  await press('Send')
  await press('Delete message')
  expect(screen.queryByText('Are you there?')).toBeNull()
  await connect()
  expect(sentTypes()).not.toContain('send-team-message')
  expect(countUnsent('maya')).toBe(0)
  close()
})

async function askAnyBusser(): Promise<void> {
  const [, , quick] = screen.getAllByRole('button', { name: 'Quick messages' })
  if (quick) fireEvent.click(quick)
  await passFrames()
  await press('Spill cleanup needed')
  expect(screen.getByText('Sending…')).toBeDefined()
}

it('takes back a call that was not sent yet', async () => {
  const { sentTypes, connect, close } = open()
  await askAnyBusser()
  await press('Take back')
  expect(screen.queryByText('Sending…')).toBeNull()
  await connect()
  expect(sentTypes()).not.toContain('send-role-message')
  close()
})

it('sends no call that waited for the connection for a quarter of an hour, and says so', async () => {
  const { sentTypes, connect, close } = open()
  await askAnyBusser()
  vi.setSystemTime(Date.now() + 15 * minuteMs)
  await connect()
  await passFrames()
  expect(sentTypes()).not.toContain('send-role-message')
  expect(screen.getByRole('alert', { hidden: true }).textContent).toBe(
    'Spill cleanup neededNot sent, because the tap waited too long for the connection',
  )
  expect(screen.queryByText('Sending…')).toBeNull()
  close()
})
