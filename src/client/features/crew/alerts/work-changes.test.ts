import { expect, it } from 'vitest'
import type { PersonRef, ServiceRequest } from '#contract/requests/requests.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { diffWork, type WorkSnapshot, tablesText } from './work-changes.ts'

const maya: PersonRef = { id: 'maya', name: 'Maya' }
const leo: PersonRef = { id: 'leo', name: 'Leo' }

const request = (id: string, by: PersonRef | null): ServiceRequest =>
  buildRequest({ id, tableNumber: id, state: by ? 'accepted' : 'waiting', acceptedBy: by })
const snapshot = (open: ServiceRequest[], fields: Partial<WorkSnapshot> = {}): WorkSnapshot => ({
  open,
  recent: [],
  covering: [],
  ...fields,
})
const cancelled = (by: PersonRef) => ({
  request: request('4', by),
  closedAt: 1,
  by: null,
  cancelled: true as const,
})

it('reports a cancellation only to whoever was on the way', () => {
  const after = snapshot([], { recent: [cancelled(maya)] })
  expect(diffWork(snapshot([request('4', maya)]), after, 'maya').cancelled).toEqual([request('4', maya)])
  expect(diffWork(snapshot([request('4', maya)]), after, 'leo').cancelled).toEqual([])
  expect(diffWork(after, after, 'maya').cancelled).toEqual([])
})

it('reports a handover to its receiver, but not what they accepted themselves', () => {
  const after = snapshot([request('4', maya), request('7', maya)])
  const before = snapshot([request('4', leo), request('7', null)])
  expect(diffWork(before, after, 'maya').handedOver.map(({ id }) => id)).toEqual(['4'])
  expect(diffWork(before, after, 'leo').handedOver).toEqual([])
})

it('reports to whoever is on the way that the party moved', () => {
  const there = { ...request('4', maya), tableNumber: '12' }
  const [before, after] = [snapshot([request('4', maya), request('7', maya)]), snapshot([there])]
  expect(diffWork(before, after, 'maya').moved).toEqual([{ from: '4', to: '12' }])
  expect(diffWork(before, after, 'leo').moved).toEqual([])
  expect(diffWork(after, after, 'maya').moved).toEqual([])
  // What is handed over is news in itself.
  expect(diffWork(snapshot([request('4', leo)]), after, 'maya').moved).toEqual([])
})

it('reports the move of a party once, whatever it waits for', () => {
  const requests = ['drinks', 'check'].map((id) => ({ ...request(id, maya), tableNumber: '4' }))
  const moved = requests.map((each) => ({ ...each, tableNumber: '12' }))
  expect(diffWork(snapshot(requests), snapshot(moved), 'maya').moved).toEqual([{ from: '4', to: '12' }])
})

it('reports whom the crew member covers from now on', () => {
  const changes = diffWork(
    snapshot([], { covering: ['Ana'] }),
    snapshot([], { covering: ['Ana', 'Leo'] }),
    'maya',
  )
  expect(changes.covering).toEqual(['Leo'])
})

it('names each table once', () => {
  expect(tablesText([request('4', maya)])).toBe('Table 4')
  expect(tablesText([request('4', maya), request('7', maya), request('4', null)])).toBe('Tables 4, 7')
})
