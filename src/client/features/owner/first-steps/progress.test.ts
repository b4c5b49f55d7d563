import { expect, it } from 'vitest'
import type { ServerMessage } from '#contract/live.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { followRequests, initialRequests, progressOf } from './progress.ts'

const four = buildRequest({ id: 'a', tableNumber: '4' })
const seven = buildRequest({ id: 'b', tableNumber: '7' })
const list: ServerMessage = { type: 'pending-requests', requests: [four], recent: [] }
const asked = { type: 'new-request', request: four } as const
const accepted = { type: 'request-updated', request: { ...four, state: 'accepted' } } as const
const cancelled = { type: 'request-completed', id: 'a', by: null, cancelled: true } as const
const completed = { type: 'request-completed', id: 'a', by: null } as const

it.each<[string, string, ServerMessage[]]>([
  ['nothing was asked', 'idle', []],
  ['a guest asks', 'asked', [asked]],
  ['the page opens while a guest waits', 'asked', [list]],
  ['the crew is on the way', 'answered', [asked, accepted]],
  ['the crew was there', 'answered', [asked, completed]],
  ['the guest takes it back', 'idle', [asked, cancelled]],
  ['the guest takes one of two back', 'asked', [asked, { type: 'new-request', request: seven }, cancelled]],
  ['the guest takes another one back after the answer', 'answered', [asked, accepted, cancelled]],
])('where %s, it is %s', (_, progress, messages) => {
  expect(progressOf(messages.reduce(followRequests, initialRequests))).toBe(progress)
})
