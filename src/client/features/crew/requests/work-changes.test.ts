import { expect, it } from 'vitest'
import type { PersonRef, ServiceRequest } from '#contract/requests.ts'
import { diffWork, type WorkSnapshot, tablesText } from './work-changes.ts'

const maya: PersonRef = { id: 'maya', name: 'Maya' }
const leo: PersonRef = { id: 'leo', name: 'Leo' }

const request = (id: string, by: PersonRef | null): ServiceRequest => ({
  id,
  tableNumber: id,
  serviceType: 'drinks',
  timestamp: 0,
  state: by ? 'accepted' : 'waiting',
  asks: 1,
  acceptedBy: by,
  seen: 0,
  crew: [],
  level: 0,
  verified: true,
})
const shown = (open: ServiceRequest[], more: Partial<WorkSnapshot> = {}): WorkSnapshot => ({
  open,
  recent: [],
  covering: [],
  ...more,
})
const cancelled = (by: PersonRef) => ({
  request: request('4', by),
  closedAt: 1,
  by: null,
  cancelled: true as const,
})

it('reports a cancellation only to whoever was on the way', () => {
  const after = shown([], { recent: [cancelled(maya)] })
  expect(diffWork(shown([request('4', maya)]), after, 'maya').cancelled).toEqual([request('4', maya)])
  expect(diffWork(shown([request('4', maya)]), after, 'leo').cancelled).toEqual([])
  expect(diffWork(after, after, 'maya').cancelled).toEqual([])
})

it('reports a handover to its receiver, but not what they accepted themselves', () => {
  const after = shown([request('4', maya), request('7', maya)])
  const before = shown([request('4', leo), request('7', null)])
  expect(diffWork(before, after, 'maya').handedOver.map(({ id }) => id)).toEqual(['4'])
  expect(diffWork(before, after, 'leo').handedOver).toEqual([])
})

it('reports whom the crew member covers from now on', () => {
  const news = diffWork(shown([], { covering: ['Ana'] }), shown([], { covering: ['Ana', 'Leo'] }), 'maya')
  expect(news.covering).toEqual(['Leo'])
})

it('names each table once', () => {
  expect(tablesText([request('4', maya)])).toBe('Table 4')
  expect(tablesText([request('4', maya), request('7', maya), request('4', null)])).toBe('Tables 4, 7')
})
