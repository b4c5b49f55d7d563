import { expect, it } from 'vitest'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import type { Alert } from '../alerts/alerts.ts'
import { urgencyOf } from './urgency.ts'

const request = (tableNumber: string, more: Partial<ServiceRequest> = {}): ServiceRequest =>
  buildRequest({ id: tableNumber, tableNumber, ...more })
const alert = (kind: Alert['kind'], ...tables: string[]): Alert => ({ kind, tables, sound: true })

it('sounds new for a request of this screen, and again for repeats and for what everybody is called to', () => {
  expect(urgencyOf(alert('new', '7'), [request('7')])).toBe('new')
  expect(urgencyOf(alert('again', '7'), [request('7')])).toBe('again')
  expect(urgencyOf(alert('new', '7'), [request('7', { level: 1 })])).toBe('again')
})

it('sounds urgent once the manager is called or a guest says that they still wait', () => {
  expect(urgencyOf(alert('again', '7', '8'), [request('7'), request('8', { level: 2 })])).toBe('urgent')
  expect(urgencyOf(alert('still-waiting', '7'), [request('7')])).toBe('urgent')
})

it('leaves out other tables and requests that somebody is on the way to', () => {
  const open = [request('7'), request('8', { level: 2 }), request('7', { level: 2, state: 'accepted' })]
  expect(urgencyOf(alert('new', '7'), open)).toBe('new')
})
