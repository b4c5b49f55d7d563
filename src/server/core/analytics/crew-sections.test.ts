import { describe, expect, it } from 'vitest'
import {
  instantOf,
  eventsCsv,
  figuresOf,
  seconds,
  durationSummary,
  setUpPastApp,
  startPastRestaurant,
} from '../../../../test/support/restaurants/past-restaurant.ts'

const app = setUpPastApp()

describe('sections', () => {
  /** Tom's guests ask three at a time and wait longer than Ana's, who ask one after another. */
  async function evening() {
    const past = await startPastRestaurant(app, 'UTC', '2027-01-01T00:00:00Z', ['1', '2', '3', '4', '5'])
    const [tom, ana] = [await past.join('Tom'), await past.join('Ana')]
    await past.assign('2027-05-01', [
      ['1', tom],
      ['2', tom],
      ['3', tom],
      ['4', ana],
    ])
    await past.assign('2027-05-02', [['4', ana]])
    const start = instantOf('2027-05-01T18:00:00Z')
    for (let round = 0; round < 5; round++) {
      const at = start + round * 600 * seconds
      await past.ask(at, '1', 'drinks', {
        accepted: { after: 30, by: tom },
        completed: { after: 200, by: tom },
      })
      await past.ask(at + 10 * seconds, '2', 'drinks', {
        accepted: { after: 60, by: tom },
        completed: { after: 200 },
      })
      await past.ask(at + 20 * seconds, '3', 'drinks', {
        accepted: { after: 90, by: tom },
        completed: { after: 200 },
      })
      await past.ask(at, '4', 'drinks', { accepted: { after: 40, by: ana }, completed: { after: 50 } })
    }
    await past.ask('2027-05-01T21:00:00Z', '5', 'other', {
      accepted: { after: 99, by: ana },
      completed: { after: 100 },
    })
    return { past, tom, ana }
  }

  it('are compared under the same load and sorted by name', async () => {
    const { past, tom, ana } = await evening()
    const { sections, byLoad, unassigned } = await figuresOf(past, '2027-05-01', '2027-05-03')
    // Alone: 30 s five times and 40 s five times, so the median is 30 s.
    expect(byLoad).toEqual([
      { load: 1, requests: 10, response: durationSummary(10, 30, 40, 40, 35) },
      { load: 2, requests: 5, response: durationSummary(5, 60, 60, 60, 60) },
      { load: 3, requests: 5, response: durationSummary(5, 90, 90, 90, 90) },
      { load: 4, requests: 0, response: null },
    ])
    expect(sections).toEqual([
      {
        crewMember: { id: ana.id, name: 'Ana' },
        tableDays: 2,
        requests: 5,
        busiest: 1,
        adjustedMs: 10 * seconds,
      },
      { crewMember: { id: tom.id, name: 'Tom' }, tableDays: 3, requests: 15, busiest: 3, adjustedMs: 0 },
    ])
    expect(unassigned).toBe(1)
  })

  it('count only days that have begun', async () => {
    const { past } = await evening()
    const { sections } = await figuresOf(past, '2027-05-01', '2027-05-03', '2027-05-01T23:00:00Z')
    expect(sections.map(({ tableDays }) => tableDays)).toEqual([1, 3])
  })

  it('are not compared on few requests', async () => {
    const past = await startPastRestaurant(app, 'UTC', '2027-01-01T00:00:00Z')
    const ana = await past.join('Ana')
    await past.assign('2027-05-01', [['1', ana]])
    await past.ask('2027-05-01T18:00:00Z', '1', 'drinks', { accepted: { after: 40, by: ana } })
    expect((await figuresOf(past, '2027-05-01')).sections).toMatchObject([{ requests: 1, adjustedMs: null }])
  })

  it('show a crew member nobody else', async () => {
    const { past, ana } = await evening()
    const own = await figuresOf(past, '2027-05-01', '2027-05-03', undefined, past.as(ana))
    expect(own).toMatchObject({ scope: 'own', byLoad: [], unheard: null, unassigned: 1 })
    // Five at her own table and one that she took elsewhere.
    expect(own.totals).toMatchObject({
      requests: 6,
      times: { response: durationSummary(6, 40, 99, 99, 299 / 6) },
    })
    expect(own.sections).toEqual([
      { crewMember: { id: ana.id, name: 'Ana' }, tableDays: 2, requests: 5, busiest: 1, adjustedMs: null },
    ])
    expect(JSON.stringify(own)).not.toContain('Tom')
    const file = await eventsCsv(past, '2027-05-01', '2027-05-03', past.as(ana))
    expect(file).not.toContain('Tom')
    expect(new Set(file.match(/,[1-5],(drinks|other),/gu))).toEqual(new Set([',4,drinks,', ',5,other,']))
  })
})
