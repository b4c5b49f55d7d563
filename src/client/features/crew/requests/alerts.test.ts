import { describe, expect, it } from 'vitest'
import type { ServiceRequest } from '#contract/requests.ts'
import { buildRequest } from '../../../../../test/support/service-request.ts'
import {
  type Alert,
  alertText,
  requestsCalling,
  nextAlert,
  initialAlertState,
  msUntilRepeat,
} from './alerts.ts'

const request = (tableNumber: string, change: Partial<ServiceRequest> = {}): ServiceRequest =>
  buildRequest({ id: tableNumber, tableNumber, ...change })

/** A request at one of Maya's tables. */
const mayas = (tableNumber: string, change: Partial<ServiceRequest> = {}): ServiceRequest =>
  request(tableNumber, { crew: ['maya'], ...change })

/** Returns the alert of a screen at each time, in milliseconds. */
function screen(me: string | null = null) {
  let state = initialAlertState
  return (now: number, ...open: ServiceRequest[]): Alert | null => {
    const next = nextAlert(state, open, me, now)
    state = next.state
    return next.alert
  }
}

describe('a guest who is still waiting', () => {
  const reminded = (table: string, stillWaiting: number, change: Partial<ServiceRequest> = {}) =>
    request(table, { level: 1, stillWaiting, ...change })
  const accepted = { state: 'accepted', acceptedBy: { id: 'maya', name: 'Maya' } } as const
  const expectedAlert = { kind: 'still-waiting', tables: ['4'], sound: true }

  it('alerts everybody each time while nobody is on the way, also at level 2', () => {
    const at = screen('leo')
    at(0, request('4'))
    expect(at(1000, reminded('4', 1))).toEqual(expectedAlert)
    expect(at(1500, reminded('4', 1))).toBeNull()
    expect(at(2000, reminded('4', 2, { level: 2 }))).toEqual(expectedAlert)
    expect(at(3000, reminded('4', 3, { level: 2 }))).toEqual(expectedAlert)
  })

  it('alerts whoever is on the way, and screens without a name', () => {
    const [maya, leo, wall] = [screen('maya'), screen('leo'), screen()]
    for (const at of [maya, leo, wall]) at(0, request('4', accepted))
    expect(maya(1000, reminded('4', 1, accepted))).toEqual(expectedAlert)
    expect(wall(1000, reminded('4', 1, accepted))).toEqual(expectedAlert)
    expect(leo(1000, reminded('4', 1, accepted))).toBeNull()
    expect(maya(60_000, reminded('4', 1, accepted))).toBeNull()
  })

  it('is not new to a screen that has just opened, and is not lost beside a new request', () => {
    const at = screen('leo')
    expect(at(0, reminded('4', 2))).toBeNull()
    expect(at(1000, reminded('4', 3), request('5'))).toMatchObject({ kind: 'new', tables: ['5'] })
    expect(at(1001, reminded('4', 3), request('5'))).toMatchObject(expectedAlert)
  })

  it('is named in the alert', () => {
    expect(alertText(['4'], 'still-waiting')).toBe('Table 4 still waits')
    expect(alertText(['4', '7'], 'still-waiting')).toBe('2 tables still wait')
  })
})

describe('the screens that a request alerts', () => {
  const callsFor = (me: string | null, ...open: ServiceRequest[]): string[] =>
    requestsCalling(open, me).map(({ id }) => id)

  it('are first those of the table’s crew', () => {
    expect(callsFor('maya', mayas('4'))).toEqual(['4'])
    expect(callsFor('leo', mayas('4'))).toEqual([])
  })

  it('are all when the table is unassigned, and always include those without a name', () => {
    expect(callsFor('leo', request('7'))).toEqual(['7'])
    expect(callsFor(null, mayas('4'))).toEqual(['4'])
  })

  it('are all once the request escalates', () => {
    expect(callsFor('leo', mayas('4', { level: 1 }))).toEqual(['4'])
  })

  it('are none once somebody is on the way', () => {
    expect(callsFor('maya', mayas('4', { state: 'accepted' }))).toEqual([])
  })
})

describe('the alert', () => {
  it('is not raised for the first list, and repeats every 10 s until the request is accepted', () => {
    const at = screen()
    expect(at(0, request('4'))).toBeNull()
    expect(at(9_999, request('4'))).toBeNull()
    expect(at(10_000, request('4'))).toEqual({ kind: 'again', tables: ['4'], sound: true })
    expect(at(15_000, request('4'))).toBeNull()
    expect(at(20_000, request('4', { state: 'accepted' }))).toBeNull()
  })

  it('is raised at once for a new request, and combines a burst', () => {
    const at = screen()
    at(0)
    expect(at(100, request('4'))).toEqual({ kind: 'new', tables: ['4'], sound: true })
    expect(at(300, request('4'), request('7'))).toEqual({ kind: 'new', tables: ['4', '7'], sound: false })
    expect(at(1500, request('4'), request('7'), request('9'))).toEqual({
      kind: 'new',
      tables: ['4', '7', '9'],
      sound: true,
    })
  })

  it('counts a table with several requests once', () => {
    const at = screen()
    at(0)
    expect(at(100, request('4'), request('4', { id: 'x' }))?.tables).toEqual(['4'])
  })

  it('is raised when a request of other crew escalates to all', () => {
    const at = screen('leo')
    at(0)
    expect(at(100, mayas('7'))).toBeNull()
    expect(at(20_000, mayas('7', { level: 1 }))).toEqual({ kind: 'new', tables: ['7'], sound: true })
  })

  it('lists own tables first when it repeats', () => {
    const at = screen('maya')
    at(0, request('4'), mayas('7'))
    expect(at(10_000, request('4'), mayas('7'))?.tables).toEqual(['7', '4'])
  })

  it('knows when it is due again', () => {
    const { state } = nextAlert(initialAlertState, [request('4')], null, 0)
    expect(msUntilRepeat(state, [request('4')], null, 4000)).toBe(6000)
    expect(msUntilRepeat(state, [mayas('4')], 'leo', 4000)).toBeNull()
  })

  it('has the wording of the specification', () => {
    expect(alertText(['4'])).toBe('Table 4 needs service')
    expect(alertText(['4', '7', 'Patio 3'])).toBe('3 tables need service')
  })
})

describe('a completion that is undone', () => {
  it('is not new to a screen that knew the request, and alerts with the next repeat', () => {
    const at = screen()
    at(0)
    expect(at(1_000, request('4'))).toMatchObject({ kind: 'new' })
    expect(at(20_000)).toBeNull()
    expect(at(25_000, request('4', { stillWaiting: 1 }))).toBeNull()
    expect(at(35_000, request('4', { stillWaiting: 1 }))).toMatchObject({ kind: 'again' })
  })

  it('is not new to a screen that was opened in between', () => {
    const { state } = nextAlert(initialAlertState, [], null, 0, [request('4')])
    expect(nextAlert(state, [request('4')], null, 5_000).alert).toBeNull()
  })
})
