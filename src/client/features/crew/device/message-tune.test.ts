// @vitest-environment jsdom
import { act, renderHook } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { TeamMessage } from '#contract/crew/messages.ts'
import type { RoleCall } from '#contract/crew/shift.ts'
import type { ServerMessage } from '#contract/live.ts'
import { stubHeldSockets } from '../../../../../test/support/pages/jsdom-socket.ts'
import { buildMessage } from '../../../../../test/support/restaurants/team-message.ts'
import { LiveChannel } from '../../../api/live/live-channel.ts'
import { LiveContext } from '../../../api/live/use-live.ts'
import type { Tune } from '../../../lib/tunes.ts'
import { Chime } from './chime.ts'
import { useMessageSound } from './message-tune.ts'

const maya: CrewMember = { id: 'maya', name: 'Maya', role: 'Server' }

const buildCall = (change: Partial<RoleCall> = {}): RoleCall => ({
  id: 'c1',
  role: 'Server',
  messageKey: 'NEED_RUNNER',
  tableNumber: null,
  from: { id: 'leo', name: 'Leo' },
  timestamp: 1,
  claimedBy: null,
  alerts: 1,
  ...change,
})
const own = { from: { id: 'maya', name: 'Maya' } }
const call = (change?: Partial<RoleCall>): ServerMessage => ({
  type: 'role-message',
  call: buildCall(change),
})
const list = (...calls: Partial<RoleCall>[]) => ({
  type: 'pending-requests' as const,
  requests: [],
  recent: [],
  calls: calls.map(buildCall),
})

/** Returns what a message sounds like at Maya's screen. `kept`: the list of its page before. */
function listen({ declined = [], kept }: { declined?: string[]; kept?: ReturnType<typeof list> } = {}) {
  const { sockets } = stubHeldSockets()
  const live = new LiveChannel({ kept: kept ? { message: kept, at: 1 } : null })
  const chime = new Chime()
  const play = vi.spyOn(chime, 'play')
  const left = new Set(declined)
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(LiveContext, { value: live }, children)
  renderHook(() => useMessageSound(chime, maya, left), { wrapper })
  return (message: ServerMessage): Tune[] => {
    play.mockClear()
    const event = new MessageEvent('message', { data: JSON.stringify(message) })
    act(() => void sockets[0]?.dispatchEvent(event))
    return play.mock.calls.map(([tune]) => tune)
  }
}

it('sounds for messages to me, not for my own', () => {
  const soundOf = listen()
  expect(soundOf({ type: 'team-message', message: buildMessage('leo', 'maya') })).toEqual(['message'])
  expect(soundOf({ type: 'team-message', message: buildMessage('maya', 'leo') })).toEqual([])
})

it('sounds once for messages that came while the screen was away, and not for those that it opened with', () => {
  const soundOf = listen()
  const history = (...messages: TeamMessage[]): ServerMessage => ({
    type: 'team-messages-history',
    messages: messages.toReversed(),
  })
  const from = (sender: string, id: string) => buildMessage(sender, 'maya', { id })
  const [first, second, third] = [from('leo', '1'), from('ana', '2'), from('leo', '3')]
  expect(soundOf(history(first))).toEqual([])
  expect(soundOf({ type: 'team-message', message: second })).toEqual(['message'])
  expect(soundOf(history(first, second))).toEqual([])
  const own = buildMessage('maya', 'leo', { id: '4' })
  expect(soundOf(history(first, second, own))).toEqual([])
  expect(soundOf(history(first, second, third))).toEqual(['message'])
  expect(soundOf(history(first, second, third))).toEqual([])
})

it('sounds for each alert of a call to my role, not for my own calls, other roles or what I leave to others', () => {
  const soundOf = listen({ declined: ['c3'] })
  expect(soundOf(call())).toEqual(['call'])
  expect(soundOf(call({ alerts: 2 }))).toEqual(['call'])
  expect(soundOf(call({ id: 'c2', ...own }))).toEqual([])
  expect(soundOf(call({ role: 'Busser' }))).toEqual([])
  expect(soundOf(call({ id: 'c3', alerts: 2 }))).toEqual([])
  expect(soundOf({ type: 'breaks', breaks: [] })).toEqual([])
})

it('sounds once for calls that came while the screen was away, and not for those that it opened with', () => {
  const soundOf = listen()
  expect(soundOf(list({ id: 'a' }))).toEqual([])
  expect(soundOf(call({ id: 'b' }))).toEqual(['call'])
  const back = list({ id: 'a' }, { id: 'b' }, { id: 'c', alerts: 3 }, { id: 'd' })
  expect(soundOf(back)).toEqual(['call'])
  expect(soundOf(back)).toEqual([])
  expect(soundOf(list({ id: 'e', ...own }, { id: 'f', role: 'Host' }))).toEqual([])
})

it('sounds for calls that came between the list of the page before and its own', () => {
  const soundOf = listen({ kept: list({ id: 'a' }) })
  expect(soundOf(list({ id: 'a' }, { id: 'b' }))).toEqual(['call'])
})
