// @vitest-environment jsdom
import * as v from 'valibot'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RoleCall } from '#contract/crew/shift.ts'
import { ServerMessage } from '#contract/live.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
import { clearSessionStorage, setStored } from '../../../lib/browser/browser-storage.ts'
import { type LastList, loadLastList, saveLastList, updateSnapshot } from './last-list.ts'

const isMessage = (value: unknown): value is ServerMessage => v.is(ServerMessage, value)
const [four, seven] = ['4', '7'].map((table) => buildRequest({ id: `r${table}`, tableNumber: table }))
const maya = { id: 'maya', name: 'Maya', role: 'Server' } as const
const call: RoleCall = {
  id: 'c1',
  role: 'Host',
  tableNumber: null,
  messageKey: 'LARGE_PARTY',
  from: { id: 'maya', name: 'Maya' },
  timestamp: 5,
  claimedBy: null,
  alerts: 1,
}

describe('the kept list', () => {
  it('is what the server would send', () => {
    if (!four || !seven) throw new Error('There are two requests')
    const messages: ServerMessage[] = [
      { type: 'pending-requests', seq: 1, requests: [four], recent: [] },
      { type: 'new-request', seq: 2, request: seven },
      { type: 'request-completed', seq: 3, id: four.id, by: maya },
      { type: 'role-message', seq: 4, call },
      { type: 'role-message', seq: 5, call: { ...call, id: 'c2' } },
      { type: 'role-message-claimed', seq: 6, id: 'c1', by: maya },
      { type: 'muted-tables', seq: 7, tables: [{ tableNumber: '9', until: null, by: maya }] },
      { type: 'presence', listening: true, screens: 1 },
    ]
    const list = messages.reduce<LastList['message'] | null>(
      (before, message) => updateSnapshot(before, message, 1000),
      null,
    )
    expect(list).toMatchObject({
      requests: [seven],
      recent: [{ request: four, closedAt: 1000, by: maya }],
      calls: [{ id: 'c2' }],
      muted: [{ tableNumber: '9' }],
    })
    expect(isMessage(list)).toBe(true)
  })

  it('stays the same object when nothing changes, and needs a first list', () => {
    const list: LastList['message'] = { type: 'pending-requests', requests: [], recent: [] }
    expect(updateSnapshot(list, { type: 'presence', listening: true, screens: 1 }, 1000)).toBe(list)
    expect(updateSnapshot(null, { type: 'request-completed', id: 'a', by: null }, 1000)).toBeNull()
  })
})

describe('a page that opens without the server', () => {
  const hourMs = 3_600_000
  const list: LastList = {
    message: { type: 'pending-requests', requests: [], recent: [] },
    at: 1000,
    restaurantId: 'Blue Door',
    member: maya,
    ownLogin: false,
    crew: [maya, { id: 'leo', name: 'Leo', role: 'Host' }],
    tables: ['4', '7'],
  }
  beforeEach(() => {
    setStored('crew-member-id', 'maya')
    saveLastList(list)
  })

  it('gets the list of its restaurant and its crew member', () => {
    setStored('restaurantId', 'Blue Door')
    expect(loadLastList(isMessage, 1000 + 15 * hourMs)).toEqual(list)
  })

  it('knows at least its own member from an earlier version', () => {
    const { crew: _, tables: __, ...earlier } = list
    localStorage.setItem('last-list', JSON.stringify(earlier))
    expect(loadLastList(isMessage, 1000)).toEqual({ ...list, crew: [maya], tables: [] })
  })

  it.each([
    ['after the shift', () => 16 * hourMs],
    ['from a clock that was days ahead', () => -48 * hourMs],
    ['of another restaurant', () => setStored('restaurantId', 'Red Door')],
    ['for another name', () => setStored('crew-member-id', 'leo')],
    ['after signing out', () => clearSessionStorage()],
    ['that it does not understand', () => localStorage.setItem('last-list', '{"message":{"type":"new"}}')],
    ['that is damaged', () => localStorage.setItem('last-list', '{"mess')],
  ])('gets no list %s, and nothing stays', (_, change) => {
    const laterMs = change() ?? 0
    expect(loadLastList(isMessage, 1000 + laterMs)).toBeNull()
    expect(localStorage.getItem('last-list')).toBeNull()
  })
})
