import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ServerMessage } from '#contract/live.ts'
import type { TeamMessage } from '#contract/messages.ts'
import { buildContacts, filterContacts, recentContacts } from './contacts.ts'
import { messagesReducer, initialMessagesState, visibleMessages } from './messages-reducer.ts'

const written = (id: string, timestamp: number, from = 'maya', to = 'jonas'): TeamMessage => ({
  id,
  restaurantId: 'Blue Door',
  senderCrewId: from,
  senderCrewName: from,
  targetCrewId: to,
  targetCrewName: to,
  messageKey: null,
  messageText: id,
  timestamp,
})

const told = (message: TeamMessage): ServerMessage => ({ type: 'team-message', message })

it('shows the history oldest first', () => {
  const messages = [written('b', 2), written('a', 1)]
  const state = messagesReducer(initialMessagesState, { type: 'team-messages-history', messages, seq: 2 })
  expect(visibleMessages(state).map(({ id }) => id)).toEqual(['a', 'b'])
  expect(state.loaded).toBe(true)
})

it('shows a message once, however often and in whatever order it arrives', () => {
  const own = written('mine', 5)
  const steps = [
    told(own),
    told(own),
    { type: 'sent' as const, id: 'mine' },
    { type: 'team-messages-history' as const, messages: [own], seq: 1 },
  ]
  fc.assert(
    fc.property(fc.shuffledSubarray(steps, { minLength: 1 }), (heard) => {
      const heardOfIt = heard.some(({ type }) => type !== 'sent')
      const first = messagesReducer(initialMessagesState, { type: 'sending', message: own })
      const last = heard.reduce(messagesReducer, first)
      expect(visibleMessages(last)).toEqual(heardOfIt ? [own] : [])
    }),
  )
})

it('hides a message being deleted, and shows it again when that is refused', () => {
  const state = messagesReducer(initialMessagesState, told(written('a', 1)))
  const deleting = messagesReducer(state, { type: 'deleting', id: 'a' })
  expect(visibleMessages(deleting)).toEqual([])
  expect(visibleMessages(messagesReducer(deleting, { type: 'not-deleted', id: 'a' }))).toHaveLength(1)
  expect(
    visibleMessages(messagesReducer(deleting, { type: 'team-message-deleted', messageId: 'a' })),
  ).toEqual([])
})

it('lists everybody but the user, recent contacts by latest message, with unread counts', () => {
  const crew = (['maya', 'jonas', 'ünal'] as const).map((id) => ({ id, name: id, role: 'Server' as const }))
  const messages = [written('1', 1, 'ünal', 'maya'), written('2', 2), written('3', 3, 'jonas', 'maya')]
  const contacts = buildContacts(crew, messages, 'maya', new Map([['ünal', 1]]))
  expect(contacts.map(({ member, unread }) => [member.id, unread])).toEqual([
    ['jonas', 1],
    ['ünal', 0],
  ])
  expect(recentContacts(contacts).map(({ member }) => member.id)).toEqual(['jonas', 'ünal'])
  expect(filterContacts(contacts, ' UNA').map(({ member }) => member.id)).toEqual(['ünal'])
})
