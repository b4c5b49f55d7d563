import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { CrewRole } from '#contract/crew/crew.ts'
import { setUpApp } from '../../../../test/support/app.ts'
import { addDays } from '../dates.ts'

const app = setUpApp()

const date = '2027-03-01'

async function floorOf() {
  const { owner } = await app.restaurant({ tables: ['1', '2'] })
  const [table1 = '', table2 = ''] = (await owner.ok(api.floor.tables, {})).map(({ id }) => id)
  const stand = (await owner.ok(api.floor.hostStand, {})).id
  const add = async (name: string, role: CrewRole) =>
    (await owner.ok(api.crew.add, { body: { name, role } })).id
  const assign = (tableId: string, crewMemberId: string | null, was?: string | null) =>
    owner.call(api.floor.assign, { body: { date, assignments: [{ tableId, crewMemberId, was }] } })
  const standBy = (crewIds: string[], was?: string[]) =>
    owner.call(api.floor.assignHostStand, { body: { date, crewIds, was } })
  const on = () => owner.ok(api.floor.assignmentsByDate, { query: { date } })
  const at = async (id: string): Promise<string[]> => {
    const assignments = await on()
    return assignments
      .filter(({ tableId }) => tableId === id)
      .map(({ crewMemberId }) => crewMemberId)
      .toSorted()
  }
  const crew = { maya: await add('Maya', 'Server'), tom: await add('Tom', 'Server') }
  const hosts = { ana: await add('Ana', 'Host'), ben: await add('Ben', 'Host') }
  return { owner, table1, table2, stand, ...crew, ...hosts, assign, standBy, at, on }
}

describe('owners who assign at the same time', () => {
  it('never overwrite an assignment that they have not seen', async () => {
    const { assign, at, table1, maya, tom } = await floorOf()
    expect((await assign(table1, maya, null)).status).toBe(200)
    expect(await assign(table1, tom, null)).toMatchObject({
      status: 409,
      body: { message: 'Somebody else changed this table meanwhile' },
    })
    expect((await assign(table1, null, tom)).status).toBe(409)
    expect(await at(table1)).toEqual([maya])
    expect((await assign(table1, tom, maya)).status).toBe(200)
    expect(await at(table1)).toEqual([tom])
    expect((await assign(table1, null, tom)).status).toBe(200)
    expect(await at(table1)).toEqual([])
  })

  it('both succeed when they want the same', async () => {
    const { assign, at, table1, maya } = await floorOf()
    const answers = await Promise.all([1, 2, 3, 4].map(() => assign(table1, maya, null)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await at(table1)).toEqual([maya])
    await assign(table1, null, maya)
    expect((await assign(table1, null, maya)).status).toBe(200)
  })

  it('are refused, except for the first', async () => {
    const { assign, at, table1, maya, tom, ana, ben } = await floorOf()
    const answers = await Promise.all([maya, tom, ana, ben].map((id) => assign(table1, id, null)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
    expect(await at(table1)).toHaveLength(1)
  })

  it('change none of the tables of a call when one of them has changed', async () => {
    const { owner, assign, at, table1, table2, maya, tom } = await floorOf()
    await assign(table2, maya)
    const assignments = [
      { tableId: table1, crewMemberId: tom, was: null },
      { tableId: table2, crewMemberId: tom, was: null },
    ]
    expect((await owner.call(api.floor.assign, { body: { date, assignments } })).status).toBe(409)
    expect(await at(table1)).toEqual([])
  })

  it('copy the previous day as a whole', async () => {
    const { owner, assign, standBy, on, table1, table2, stand, maya, tom, ana, ben } = await floorOf()
    const previous = addDays(date, -1)
    const assignBoth = (crewMemberId: string, day: string) =>
      owner.call(api.floor.assign, {
        body: { date: day, assignments: [table1, table2].map((tableId) => ({ tableId, crewMemberId })) },
      })
    const copy = () => owner.call(api.floor.copyFromPrevious, { body: { date } })
    const namesOf = (list: { tableId: string; crewMemberId: string }[]): string[] => {
      const names = {
        [table1]: '1',
        [table2]: '2',
        [stand]: 'stand',
        [maya]: 'maya',
        [tom]: 'tom',
        [ana]: 'ana',
      }
      return list.map(({ tableId, crewMemberId }) => `${names[tableId]} ${names[crewMemberId]}`).toSorted()
    }
    await assignBoth(maya, previous)
    await owner.ok(api.floor.assignHostStand, { body: { date: previous, crewIds: [ana] } })
    const copied = ['1 maya', '2 maya', 'stand ana']

    const twice = await Promise.all([copy(), copy()])
    expect(twice.map(({ body }) => namesOf(body.assignments))).toEqual([copied, copied])
    expect(twice.map(({ body }) => namesOf(body.before))).toEqual(expect.arrayContaining([[], copied]))

    for (let round = 0; round < 5; round++) {
      await assignBoth(tom, date)
      await standBy([ben])
      const [{ body }] = await Promise.all([copy(), assignBoth(ana, date), assign(table1, null)])
      expect(namesOf(body.assignments)).toEqual(copied)
      // Whichever of the three comes last: nobody's change is applied to one table and lost at the other.
      const tables = namesOf(await on()).filter((name) => !name.startsWith('stand'))
      expect([['1 maya', '2 maya'], ['2 maya'], ['1 ana', '2 ana'], ['2 ana']]).toContainEqual(tables)
    }
  })

  it.each(['clear a day', 'copy the previous day', 'copy a day to the week', 'follow the pattern again'])(
    'never %s that somebody else has changed since they saw it',
    async (what) => {
      const { owner, assign, at, on, table1, table2, maya, tom } = await floorOf()
      await owner.ok(api.floor.assign, {
        body: { date: addDays(date, -1), assignments: [{ tableId: table1, crewMemberId: maya }] },
      })
      await assign(table1, maya)
      await owner.ok(api.weeklyPattern.save, { body: { sourceDate: date, weekdays: [0] } })
      await assign(table1, tom)
      const change = (was: Awaited<ReturnType<typeof on>>) => {
        if (what === 'clear a day') return owner.call(api.weeklyPattern.clearDay, { body: { date, was } })
        if (what === 'copy the previous day')
          return owner.call(api.floor.copyFromPrevious, { body: { date, was } })
        if (what === 'follow the pattern again')
          return owner.call(api.weeklyPattern.resume, { body: { date, was } })
        return owner.call(api.floor.copyToWeek, { body: { sourceDate: date, was } })
      }
      const seen = await on()
      await assign(table2, tom, null)
      const now = await on()
      expect(await change(seen)).toMatchObject({
        status: 409,
        body: { message: 'Somebody else changed these tables meanwhile' },
      })
      expect([await at(table1), await at(table2)]).toEqual([[tom], [tom]])
      const { status } = await change(now.toReversed())
      expect(status).toBe(what === 'copy a day to the week' ? 204 : 200)
    },
  )

  it('each put their own Host at the host stand', async () => {
    const { standBy, at, stand, ana, ben } = await floorOf()
    const answers = await Promise.all([standBy([ana], []), standBy([ben], [])])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await at(stand)).toEqual([ana, ben].toSorted())
    expect((await standBy([], [ana])).status).toBe(200)
    expect(await at(stand)).toEqual([ben])
    expect((await standBy([ana])).status).toBe(200)
    expect(await at(stand)).toEqual([ana])
  })
})

it('shows the owner what goes with a crew member, but never the PIN or the password', async () => {
  const { owner, assign, table1, maya } = await floorOf()
  await assign(table1, maya)
  const details = {
    id: maya,
    name: 'Maya',
    role: 'Server',
    username: null,
    hasPin: false,
    upcoming: 1,
    atHostStand: 0,
  }
  expect(await owner.ok(api.crew.details, { params: { id: maya } })).toEqual(details)
  await owner.ok(api.crew.change, {
    params: { id: maya },
    body: { pin: '4711', username: 'maya.b', password: 'lantern-7' },
  })
  expect(await owner.ok(api.crew.details, { params: { id: maya } })).toEqual({
    ...details,
    username: 'maya.b',
    hasPin: true,
  })
  await owner.ok(api.crew.remove, { params: { id: maya } })
  expect((await owner.call(api.crew.details, { params: { id: maya } })).status).toBe(404)
})
