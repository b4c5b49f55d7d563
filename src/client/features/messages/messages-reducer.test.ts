import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TeamMessage } from '#contract/crew/messages.ts'
import type { ServerMessage } from '#contract/live.ts'
import { buildMessage } from '../../../../test/support/restaurants/team-message.ts'
import { buildContacts, filterContacts, recentContacts } from './contacts.ts'
import { messagesReducer, initialMessagesState, visibleMessages } from './messages-reducer.ts'

const message = (id: string, timestamp: number, from = 'maya', to = 'jonas'): TeamMessage =>
  buildMessage(from, to, { id, messageText: id, timestamp })

const received = (message: TeamMessage): ServerMessage => ({ type: 'team-message', message })

it('shows the history oldest first', () => {
  const messages = [message('b', 2), message('a', 1)]
  const state = messagesReducer(initialMessagesState, { type: 'team-messages-history', messages, seq: 2 })
  expect(visibleMessages(state).map(({ id }) => id)).toEqual(['a', 'b'])
  expect(state.loaded).toBe(true)
})

it('shows a message once, however often and in whatever order it arrives', () => {
  const own = message('mine', 5)
  const steps = [
    received(own),
    received(own),
    { type: 'not-sent' as const, id: 'mine' },
    { type: 'team-messages-history' as const, messages: [own], seq: 1 },
  ]
  fc.assert(
    fc.property(fc.shuffledSubarray(steps, { minLength: 1 }), (events) => {
      const isKnown = events.some(({ type }) => type !== 'not-sent')
      const first = messagesReducer(initialMessagesState, { type: 'sending', message: own })
      const last = events.reduce(messagesReducer, first)
      expect(visibleMessages(last)).toEqual(isKnown ? [own] : [])
    }),
  )
})

it('shows a message once that is stored before the screen shows that it is on its way', () => {
  const own = message('mine', 5)
  const stored = messagesReducer(initialMessagesState, received(own))
  expect(visibleMessages(messagesReducer(stored, { type: 'sending', message: own }))).toEqual([own])
})

it('hides a message being deleted, and shows it again when that is refused', () => {
  const state = messagesReducer(initialMessagesState, received(message('a', 1)))
  const deleting = messagesReducer(state, { type: 'deleting', id: 'a' })
  expect(visibleMessages(deleting)).toEqual([])
  expect(visibleMessages(messagesReducer(deleting, { type: 'not-deleted', id: 'a' }))).toHaveLength(1)
  expect(
    visibleMessages(messagesReducer(deleting, { type: 'team-message-deleted', messageId: 'a' })),
  ).toEqual([])
})

it('lists everybody but the user, recent contacts by latest message, with unread counts', () => {
  const crew = (['maya', 'jonas', 'ünal'] as const).map((id) => ({ id, name: id, role: 'Server' as const }))
  const messages = [message('1', 1, 'ünal', 'maya'), message('2', 2), message('3', 3, 'jonas', 'maya')]
  const contacts = buildContacts(crew, messages, 'maya', new Map([['ünal', 1]]))
  expect(contacts.map(({ member, unread }) => [member.id, unread])).toEqual([
    ['jonas', 1],
    ['ünal', 0],
  ])
  expect(recentContacts(contacts).map(({ member }) => member.id)).toEqual(['jonas', 'ünal'])
  expect(filterContacts(contacts, ' UNA').map(({ member }) => member.id)).toEqual(['ünal'])
})
