import { describe, expect, it } from 'vitest'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { buildRequest } from '../../../../../test/support/restaurants/service-request.ts'
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

  it('are those that the server calls while it calls only some', () => {
    const calling = mayas('4', { called: ['leo'] })
    expect(callsFor('leo', calling)).toEqual(['4'])
    expect(callsFor('maya', calling)).toEqual([])
    expect(callsFor(null, calling)).toEqual(['4'])
    expect(callsFor('maya', request('4', { called: ['leo'], level: 1 }))).toEqual(['4'])
  })

  it('include no screen once somebody is on the way', () => {
    expect(callsFor('maya', mayas('4', { state: 'accepted' }))).toEqual([])
  })
})

describe('the alert', () => {
  const alertTimes = (me: string, seconds: number, open: (second: number) => ServiceRequest[]): number[] => {
    const at = screen(me)
    at(0)
    return Array.from({ length: seconds }, (_, index) => index + 1).filter(
      (second) => at(second * 1000, ...open(second))?.sound,
    )
  }

  it('is not raised for the first list, and repeats every 10 s until the request is accepted', () => {
    const at = screen()
    expect(at(0, request('4'))).toBeNull()
    expect(at(9_999, request('4'))).toBeNull()
    expect(at(10_000, request('4'))).toEqual({ kind: 'again', tables: ['4'], sound: true })
    expect(at(15_000, request('4'))).toBeNull()
    expect(at(20_000, request('4', { state: 'accepted' }))).toBeNull()
  })

  it('lets what arrives soon after a sound sound once ten seconds have passed, not with a later repeat', () => {
    const at = screen('maya')
    const called = (table: string): ServiceRequest => mayas(table, { called: ['maya'] })
    at(0)
    expect(at(1000, called('7'))?.sound).toBe(true)
    expect(at(3000)).toBeNull()
    expect(at(4000, called('21'), called('12'))?.sound).toBe(false)
    expect(at(10_900, called('21'), called('12'))).toBeNull()
    const heard = { kind: 'again', tables: ['21', '12'], sound: true }
    expect(at(11_000, called('21'), called('12'))).toEqual(heard)
    expect(at(30_900, called('21'), called('12'))).toBeNull()
    expect(at(31_000, called('21'), called('12'))).toEqual(heard)
  })

  it('is raised at once for a new request, and combines a burst', () => {
    const at = screen()
    at(0)
    expect(at(100, request('4'))).toEqual({ kind: 'new', tables: ['4'], sound: true })
    expect(at(300, request('4'), request('7'))).toEqual({ kind: 'new', tables: ['4', '7'], sound: false })
    expect(at(1500, request('4'), request('7'), request('9'))).toEqual({
      kind: 'new',
      tables: ['4', '7', '9'],
      sound: false,
    })
    expect(at(10_100, request('4'), request('7'), request('9'), request('11'))).toMatchObject({ sound: true })
  })

  it('sounds for what came shortly after a sound with the next repeat', () => {
    const opened = (second: number) => [request('4'), ...(second > 3 ? [request('7')] : [])]
    expect(alertTimes('leo', 32, opened)).toEqual([1, 11, 31])
  })

  it('repeats more and more rarely, but at least every minute', () => {
    expect(alertTimes('leo', 260, () => [request('4')])).toEqual([1, 11, 31, 71, 131, 191, 251])
  })

  it('repeats less often while the request calls only some of the crew', () => {
    expect(alertTimes('leo', 70, () => [request('4', { called: ['leo', 'maya'] })])).toEqual([1, 21, 61])
  })

  it('repeats sooner again when it gets worse: another level, or asked again', () => {
    const called = ['leo']
    const rising = (second: number) => [second < 40 ? request('4', { called }) : request('4', { level: 1 })]
    expect(alertTimes('leo', 65, rising)).toEqual([1, 21, 40, 60])
    const askedAgain = (second: number) => [request('4', { called, asks: second < 30 ? 1 : 2 })]
    expect(alertTimes('leo', 60, askedAgain)).toEqual([1, 21, 41])
  })

  it('is raised anew when the request calls this screen again, and once when its crew member is free again', () => {
    const passing = (second: number) => [
      request('4', { called: second < 10 || second > 14 ? ['leo'] : ['maya'] }),
    ]
    expect(alertTimes('leo', 30, passing)).toEqual([1, 15])
    const busy = (id: string) => request(id, { state: 'accepted', acceptedBy: { id: 'leo', name: 'Leo' } })
    const finishing = (second: number) => [
      request('4', { called: ['leo'] }),
      ...(second < 9 ? [busy('5')] : []),
    ]
    expect(alertTimes('leo', 28, finishing)).toEqual([1, 9])
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
