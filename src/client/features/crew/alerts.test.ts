import { describe, expect, it } from 'vitest'
import { type ServiceRequest, targetMs } from '#contract/requests.ts'
import { type Alert, alertText, calling, nextAlert, quiet, untilNextAlert } from './alerts.ts'

const request = (tableNumber: string, change: Partial<ServiceRequest> = {}): ServiceRequest => ({
  id: tableNumber,
  tableNumber,
  serviceType: 'drinks',
  timestamp: 0,
  state: 'waiting',
  asks: 1,
  acceptedBy: null,
  seen: 0,
  level: 0,
  verified: true,
  ...change,
})

const tables = (...numbers: string[]): Set<string> => new Set(numbers)
const nobody = tables()

/** What a screen says at each moment, in milliseconds. */
function screen(mine = nobody) {
  let state = quiet
  return (now: number, ...open: ServiceRequest[]): Alert | null => {
    const next = nextAlert(state, open, mine, now)
    state = next.state
    return next.alert
  }
}

describe('who is called', () => {
  const callsFor = (mine: Set<string>, open: ServiceRequest[], now = 0): string[] =>
    calling(open, mine, now).map(({ id }) => id)

  it('is the crew of the table first', () => {
    expect(callsFor(tables('4'), [request('4'), request('7')])).toEqual(['4'])
  })

  it('is everybody where nobody chose a name or has tables', () => {
    expect(callsFor(nobody, [request('4'), request('7')])).toEqual(['4', '7'])
  })

  it('is everybody once the request was raised, or is past its target', () => {
    expect(callsFor(tables('4'), [request('7', { level: 1 })])).toEqual(['7'])
    expect(callsFor(tables('4'), [request('7')], targetMs.drinks)).toEqual(['7'])
  })

  it('is nobody once somebody is on the way', () => {
    expect(callsFor(tables('4'), [request('4', { state: 'accepted' })])).toEqual([])
  })
})

describe('the alert', () => {
  it('is silent about what the first list brings, and repeats it every 10 s until it is accepted', () => {
    const at = screen()
    expect(at(0, request('4'))).toBeNull()
    expect(at(9_999, request('4'))).toBeNull()
    expect(at(10_000, request('4'))).toEqual({ kind: 'again', tables: ['4'], sound: true })
    expect(at(15_000, request('4'))).toBeNull()
    expect(at(20_000, request('4', { state: 'accepted' }))).toBeNull()
  })

  it('comes at once for a request that arrives, and sums a burst', () => {
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

  it('counts a table once, however many things it needs', () => {
    const at = screen()
    at(0)
    expect(at(100, request('4'), request('4', { id: 'x' }))?.tables).toEqual(['4'])
  })

  it('comes when a request of others is raised to all', () => {
    const at = screen(tables('4'))
    at(0)
    expect(at(100, request('7'))).toBeNull()
    expect(at(20_000, request('7', { level: 1 }))).toEqual({ kind: 'new', tables: ['7'], sound: true })
  })

  it('names own tables first when it repeats', () => {
    const at = screen(tables('7'))
    at(0, request('4', { level: 1 }), request('7'))
    expect(at(10_000, request('4', { level: 1 }), request('7'))?.tables).toEqual(['7', '4'])
  })

  it('says when it must be looked at again', () => {
    const { state } = nextAlert(quiet, [request('4')], nobody, 0)
    expect(untilNextAlert(state, [request('4')], nobody, 4000)).toBe(6000)
    expect(untilNextAlert(state, [request('4')], tables('7'), 4000)).toBe(targetMs.drinks - 4000)
    expect(untilNextAlert(state, [], nobody, 4000)).toBeNull()
  })

  it('reads as the specification has it', () => {
    expect(alertText(['4'])).toBe('Table 4 needs service')
    expect(alertText(['4', '7', 'Patio 3'])).toBe('3 tables need service')
  })
})
