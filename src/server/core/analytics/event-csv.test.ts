import { describe, expect, it } from 'vitest'
import {
  eventsCsv,
  setUpPastApp,
  startPastRestaurant,
} from '../../../../test/support/restaurants/past-restaurant.ts'

const app = setUpPastApp()

describe('the CSV file of events', () => {
  it('contains no formula, whatever the names of tables and crew are', async () => {
    const past = await startPastRestaurant(app, 'UTC', '2027-05-01T00:00:00Z', [
      '=1+1',
      '@a',
      "'x",
      'Bar, "left"',
      '-2',
    ])
    const crew = await past.join('+Ana;=cmd')
    for (const { tableNumber } of past.tables)
      await past.ask('2027-05-01T12:00:00Z', tableNumber, 'drinks', { completed: { after: 1, by: crew } })
    const file = await eventsCsv(past, '2027-05-01')
    expect(file.startsWith('\uFEFFrecord,kind,request_id,table,')).toBe(true)
    for (const part of [
      ',"\'=1+1",',
      ',"\'@a",',
      ',"\'\'x",',
      ',"Bar, ""left""",',
      ',"\'-2",',
      ',"\'+Ana;\'=cmd"\r\n',
    ])
      expect(file).toContain(part)
  })
})
