import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import type { CrewRole } from '#contract/crew/crew.ts'
import { setUpApp, type TestBrowser } from '../../../../test/support/app.ts'
import { addDays } from '../dates.ts'

const app = setUpApp()

const setUp = (owner: TestBrowser, body: object) => owner.send('POST', '/api/tables/setup', body)

const numbers = async (owner: TestBrowser): Promise<string[]> =>
  (await owner.ok(api.floor.tables, {})).map(({ tableNumber }) => tableNumber)

const upTo = (end: number, start = 1): string[] =>
  Array.from({ length: end - start + 1 }, (_, index) => String(start + index))

const date = '2027-03-01'

/** Three tables, and somebody of each role. */
async function floorOf() {
  const restaurant = await app.restaurant({ tables: ['1', '2', '3'] })
  const ids = (await restaurant.owner.ok(api.floor.tables, {})).map(({ id }) => id)
  const [table1 = '', table2 = '', table3 = ''] = ids
  const add = async (name: string, role: CrewRole) =>
    (await restaurant.owner.ok(api.crew.add, { body: { name, role } })).id
  const crew = { maya: await add('Maya', 'Server'), tom: await add('Tom', 'Server') }
  const hosts = { ana: await add('Ana', 'Host'), ben: await add('Ben', 'Host') }
  const stand = (await restaurant.owner.ok(api.floor.hostStand, {})).id
  const assign = (pairs: Record<string, string | null>, day = date) =>
    restaurant.owner.call(api.floor.assign, {
      body: {
        date: day,
        assignments: Object.entries(pairs).map(([tableId, crewMemberId]) => ({ tableId, crewMemberId })),
      },
    })
  const standBy = (crewIds: string[], day = date) =>
    restaurant.owner.call(api.floor.assignHostStand, { body: { date: day, crewIds } })
  const on = async (day = date): Promise<Record<string, string[]>> => {
    const found = await restaurant.owner.ok(api.floor.assignmentsByDate, { query: { date: day } })
    const names = { [table1]: '1', [table2]: '2', [table3]: '3', [stand]: 'stand' }
    const people = Object.fromEntries(Object.entries({ ...crew, ...hosts }).map(([name, id]) => [id, name]))
    const rows: Record<string, string[]> = {}
    for (const { tableId, crewMemberId } of found) {
      ;(rows[names[tableId] ?? tableId] ??= []).push(people[crewMemberId] ?? crewMemberId)
    }
    return rows
  }
  return { ...restaurant, table1, table2, table3, stand, ...crew, ...hosts, assign, standBy, on }
}

describe('setting up tables', () => {
  it.for([
    [{ setupType: 'count', tableCount: 12 }, upTo(12)],
    [{ setupType: 'range', tableCount: 10 }, upTo(10)],
    [{ setupType: 'range', start: 98, end: 102 }, upTo(102, 98)],
    [{ setupType: 'range', start: 7, end: 7 }, ['7']],
    [{ setupType: 'custom', customTables: ['  Patio   3 ', 'Bar', '7'] }, ['7', 'Bar', 'Patio 3']],
  ] as const)('%j', async ([body, expected]) => {
    const { owner } = await app.restaurant()
    const answer = await setUp(owner, body)
    expect(answer).toMatchObject({
      status: 201,
      body: expected.map((tableNumber) => ({ tableNumber, category: 'table' })),
    })
    expect(await numbers(owner)).toEqual(expected)
  })

  it('adds the missing tables and keeps the existing ones', async () => {
    const { owner } = await app.restaurant({ tables: ['2', 'Patio'] })
    const before = await owner.ok(api.floor.tables, {})
    await setUp(owner, { setupType: 'count', tableCount: 3 })
    await setUp(owner, { setupType: 'custom', customTables: ['PATIO', 'Ｂar'] })
    expect(await numbers(owner)).toEqual(['1', '2', '3', 'Ｂar', 'Patio'])
    expect(await owner.ok(api.floor.tables, {})).toEqual(expect.arrayContaining(before))
  })

  it('refuses a wrong set-up with its reason, and sets up nothing', async () => {
    const { owner } = await app.restaurant()
    const count = 'Please enter a valid number of tables'
    const range = 'Please enter a valid range (start must be less than or equal to end)'
    const most = 'Please set up at most 500 tables'
    const none = 'Please add at least one table'
    const kind = 'Please choose how to set up the tables'
    const invalid: [object, string][] = [
      [{ setupType: 'count' }, count],
      [{ setupType: 'count', tableCount: 0 }, count],
      [{ setupType: 'count', tableCount: 1.5 }, count],
      [{ setupType: 'count', tableCount: '12' }, count],
      [{ setupType: 'count', tableCount: -3 }, count],
      [{ setupType: 'count', tableCount: 501 }, most],
      [{ setupType: 'range' }, count],
      [{ setupType: 'range', start: 0, end: 5 }, range],
      [{ setupType: 'range', start: 5, end: 4 }, range],
      [{ setupType: 'range', start: 1.5, end: 4 }, range],
      [{ setupType: 'range', start: 1 }, range],
      [{ setupType: 'range', start: 1e21, end: 1e21 }, range],
      [{ setupType: 'range', start: 1, end: 501 }, most],
      [{ setupType: 'custom' }, none],
      [{ setupType: 'custom', customTables: [] }, none],
      [{ setupType: 'custom', customTables: 'Bar' }, none],
      [{ setupType: 'custom', customTables: [' '] }, 'Please enter a table number'],
      [{ setupType: 'custom', customTables: ['x'.repeat(41)] }, 'Please use at most 40 characters'],
      [{ setupType: 'custom', customTables: upTo(501) }, most],
      [{ setupType: 'custom', customTables: ['Bar', 'Patio', 'bar '] }, 'This table already exists'],
      [{ setupType: 'custom', customTables: ['1', '①'] }, 'This table already exists'],
      [{ setupType: 'magic' }, kind],
      [{}, kind],
    ]
    for (const [body, message] of invalid) {
      expect({ given: body, ...(await setUp(owner, body)) }).toMatchObject({
        given: body,
        status: 400,
        body: { code: 'invalid', message },
      })
    }
    expect(await numbers(owner)).toEqual([])
  })

  it('refuses more than 500 tables, and then adds none of the set-up', async () => {
    const { owner } = await app.restaurant()
    await setUp(owner, { setupType: 'range', start: 1, end: 499 })
    const tooMany = { status: 409, body: { message: 'A restaurant has at most 500 tables' } }
    expect(await setUp(owner, { setupType: 'custom', customTables: ['Bar', 'Patio'] })).toMatchObject(tooMany)
    expect(await numbers(owner)).toEqual(upTo(499))
    expect((await owner.call(api.floor.addTable, { body: { tableNumber: 'Bar' } })).status).toBe(201)
    expect(await owner.call(api.floor.addTable, { body: { tableNumber: 'Patio' } })).toMatchObject(tooMany)
    expect(await setUp(owner, { setupType: 'count', tableCount: 500 })).toMatchObject(tooMany)
    expect((await setUp(owner, { setupType: 'count', tableCount: 499 })).status).toBe(201)
  })

  it('lists them in numerical order, without the host stand', async () => {
    const { owner, device, name } = await app.restaurant({
      tables: ['10', 'Table 10', '9', 'bar', 'Table 2', '1', 'Äußere', 'Bar 2'],
    })
    const order = ['1', '9', '10', 'Äußere', 'bar', 'Bar 2', 'Table 2', 'Table 10']
    expect(await numbers(owner)).toEqual(order)
    const shown = await device.ok(api.floor.tablesByRestaurant, { query: { restaurantId: name } })
    expect(shown.map(({ tableNumber }) => tableNumber)).toEqual([...order, 'Host Stand'])
  })
})

describe('a table', () => {
  it('is added once', async () => {
    const { owner } = await app.restaurant()
    const add = (body: object) => owner.send('POST', '/api/tables', body)
    expect(await add({ tableNumber: ' Patio  1 ' })).toMatchObject({
      status: 201,
      body: { tableNumber: 'Patio 1', category: 'table' },
    })
    for (const tableNumber of ['Patio 1', 'PATIO 1', 'ｐatio １', 'host stand']) {
      expect(await add({ tableNumber, category: 'table' })).toMatchObject({
        status: 409,
        body: { code: 'conflict', message: 'This table already exists' },
      })
    }
    const parallel = await Promise.all([1, 2, 3, 4].map(() => add({ tableNumber: 'Bar' })))
    expect(parallel.map(({ status }) => `${status}`).toSorted()).toEqual(['201', '409', '409', '409'])
    expect(await add({ tableNumber: '  ' })).toMatchObject({
      status: 400,
      body: { message: 'Please enter a table number' },
    })
    expect(await add({ tableNumber: 'Second', category: 'host stand' })).toMatchObject({
      status: 400,
      body: { message: 'Only tables can be added' },
    })
  })

  it('is removed, after a confirmation if it has assignments from today on', async () => {
    const { owner, table1, table2, maya, assign, on } = await floorOf()
    const today = new Date(app.now()).toISOString().slice(0, 10)
    const [yesterday, tomorrow] = [addDays(today, -1), addDays(today, 1)]
    await assign({ [table1]: maya }, yesterday)
    await assign({ [table2]: maya }, tomorrow)
    const remove = (id: string, query = {}) => owner.call(api.floor.removeTable, { params: { id }, query })
    expect((await remove(table1)).status).toBe(204)
    const confirmation = { status: 409, body: { message: 'This table has assignments. Delete it anyway?' } }
    expect(await remove(table2)).toMatchObject(confirmation)
    expect(await remove(table2, { confirm: 'false' })).toMatchObject(confirmation)
    expect(await on(tomorrow)).toEqual({ 2: ['maya'] })
    expect((await remove(table2, { confirm: 'true' })).status).toBe(204)
    expect(await on(tomorrow)).toEqual({})
    expect(await numbers(owner)).toEqual(['3'])
    expect(await remove(table2)).toMatchObject({ status: 404, body: { message: 'Table not found' } })
  })

  it('cannot be removed if it is the host stand', async () => {
    const { owner, stand, ana, standBy } = await floorOf()
    await standBy([ana], '2999-01-01')
    for (const query of [{}, { confirm: 'true' } as const]) {
      expect((await owner.call(api.floor.removeTable, { params: { id: stand }, query })).status).toBe(404)
    }
    expect(await owner.ok(api.floor.hostStand, {})).toEqual({
      id: stand,
      tableNumber: 'Host Stand',
      category: 'host stand',
    })
  })
})

describe('assignments', () => {
  it('are set for the given tables, one crew member each, and the other tables stay', async () => {
    const { table1, table2, table3, maya, tom, assign, on } = await floorOf()
    await assign({ [table1]: maya, [table2]: maya })
    expect(await on()).toEqual({ 1: ['maya'], 2: ['maya'] })
    const answer = await assign({ [table1]: tom, [table2]: null, [table3]: maya })
    expect(answer.body).toHaveLength(2)
    expect(await on()).toEqual({ 1: ['tom'], 3: ['maya'] })
    expect(await on('2027-03-02')).toEqual({})
    expect((await assign({})).status).toBe(200)
  })

  it('are set all or none', async () => {
    const { table1, stand, maya, assign, on } = await floorOf()
    expect(await assign({ [table1]: maya, nowhere: maya })).toMatchObject({
      status: 404,
      body: { message: 'Table not found' },
    })
    expect(await assign({ [table1]: 'nobody' })).toMatchObject({
      status: 404,
      body: { message: 'Crew member not found' },
    })
    expect(await assign({ [table1]: maya, [stand]: maya })).toMatchObject({
      status: 400,
      body: { message: 'The host stand has its own assignments' },
    })
    expect(await on()).toEqual({})
  })

  it("are a crew member's own by date, the host stand among them", async () => {
    const { name, device, table1, table2, stand, ana, assign, standBy } = await floorOf()
    await assign({ [table1]: ana, [table2]: ana })
    await standBy([ana])
    await assign({ [table1]: ana }, '2027-03-02')
    const query = { restaurantId: name, crewMemberId: ana, date }
    const found = await device.ok(api.floor.crewAssignments, { query })
    expect(found.map(({ tableId }) => tableId).toSorted()).toEqual([table1, table2, stand].toSorted())
    expect(found).toEqual(found.map(({ tableId }) => ({ tableId, crewMemberId: ana, date })))
  })

  it('of the host stand take several Hosts a day, and nobody else', async () => {
    const { ana, ben, maya, table1, assign, standBy, on } = await floorOf()
    await assign({ [table1]: maya })
    expect((await standBy([ana, ben, ana])).status).toBe(200)
    expect(await on()).toEqual({ 1: ['maya'], stand: ['ana', 'ben'] })
    expect(await standBy([ana, maya])).toMatchObject({
      status: 400,
      body: { message: 'Only Host crew can be assigned to the host stand' },
    })
    expect(await standBy(['nobody'])).toMatchObject({ status: 404 })
    expect(await on()).toEqual({ 1: ['maya'], stand: ['ana', 'ben'] })
    await standBy([ben])
    expect(await on()).toEqual({ 1: ['maya'], stand: ['ben'] })
    await standBy([])
    expect(await on()).toEqual({ 1: ['maya'] })
  })

  it('are copied from the previous day, and those of other tables stay', async () => {
    const { owner, table1, table2, table3, ana, ben, maya, tom, assign, standBy, on } = await floorOf()
    const copy = () => owner.call(api.floor.copyFromPrevious, { body: { date } })
    const nothing = {
      status: 404,
      body: { code: 'not_found', message: 'No assignments found for previous day' },
    }
    expect(await copy()).toMatchObject(nothing)

    const source = addDays(date, -1)
    await assign({ [table1]: maya, [table2]: tom }, source)
    await assign({ [table1]: tom, [table3]: tom })
    await standBy([ben])
    const before = await owner.ok(api.floor.assignmentsByDate, { query: { date } })
    const reply = await copy()
    expect(await on()).toEqual({ 1: ['maya'], 2: ['tom'], 3: ['tom'], stand: ['ben'] })
    const assignments = await owner.ok(api.floor.assignmentsByDate, { query: { date } })
    expect(reply).toMatchObject({ status: 200, body: { before, assignments } })

    await standBy([ana], source)
    await copy()
    expect(await on()).toEqual({ 1: ['maya'], 2: ['tom'], 3: ['tom'], stand: ['ana'] })
    expect(await on(source)).toEqual({ 1: ['maya'], 2: ['tom'], stand: ['ana'] })
    const { entries } = await owner.ok(api.audit.list, { query: {} })
    expect(entries[0]).toMatchObject({ action: 'floor.copyFromPrevious', detail: { date } })
  })

  it('are copied from the previous day without crew who have left and Hosts with another role', async () => {
    const { owner, table1, table2, table3, ana, ben, maya, tom, assign, standBy, on } = await floorOf()
    const today = new Date(app.now()).toISOString().slice(0, 10)
    const yesterday = addDays(today, -1)
    const copy = () => owner.call(api.floor.copyFromPrevious, { body: { date: today } })
    await assign({ [table1]: maya, [table2]: tom, [table3]: ben }, yesterday)
    await standBy([ana, ben], yesterday)
    await assign({ [table2]: maya }, today)
    await owner.ok(api.crew.remove, { params: { id: tom } })
    await owner.ok(api.crew.change, { params: { id: ben }, body: { role: 'Server' } })
    expect((await copy()).status).toBe(200)
    expect(await on(today)).toEqual({ 1: ['maya'], 2: ['maya'], 3: ['ben'], stand: ['ana'] })

    for (const id of [maya, ana, ben]) await owner.ok(api.crew.remove, { params: { id } })
    expect(await copy()).toMatchObject({ status: 404 })
    expect(await on(today)).toEqual({})
  })

  it('are copied to the next six days without crew who have left and Hosts with another role', async () => {
    const { owner, table1, table2, table3, ana, ben, maya, tom, assign, standBy, on } = await floorOf()
    const today = new Date(app.now()).toISOString().slice(0, 10)
    const yesterday = addDays(today, -1)
    await assign({ [table1]: maya, [table2]: tom, [table3]: ben }, yesterday)
    await standBy([ana, ben], yesterday)
    await owner.ok(api.crew.remove, { params: { id: tom } })
    await owner.ok(api.crew.change, { params: { id: ben }, body: { role: 'Server' } })
    await owner.ok(api.floor.copyToWeek, { body: { sourceDate: yesterday } })
    for (const day of [today, addDays(today, 5)]) {
      expect({ day, ...(await on(day)) }).toEqual({ day, 1: ['maya'], 3: ['ben'], stand: ['ana'] })
    }
  })

  it('are copied to the next six days, and replace what was there', async () => {
    const { owner, table1, table2, ana, ben, maya, tom, assign, standBy, on } = await floorOf()
    const source = '2028-02-26'
    await assign({ [table1]: maya }, source)
    await standBy([ana, ben], source)
    await assign({ [table1]: tom, [table2]: tom }, '2028-02-29')
    await assign({ [table2]: tom }, '2028-02-25')
    await assign({ [table2]: tom }, '2028-03-04')
    await owner.ok(api.floor.copyToWeek, { body: { sourceDate: source } })
    for (const day of [
      source,
      '2028-02-27',
      '2028-02-28',
      '2028-02-29',
      '2028-03-01',
      '2028-03-02',
      '2028-03-03',
    ]) {
      expect({ day, ...(await on(day)) }).toEqual({ day, 1: ['maya'], stand: ['ana', 'ben'] })
    }
    expect(await on('2028-02-25')).toEqual({ 2: ['tom'] })
    expect(await on('2028-03-04')).toEqual({ 2: ['tom'] })
    await owner.ok(api.floor.copyToWeek, { body: { sourceDate: source } })
    expect(await on('2028-03-03')).toEqual({ 1: ['maya'], stand: ['ana', 'ben'] })
    expect(await owner.call(api.floor.copyToWeek, { body: { sourceDate: '2028-05-01' } })).toMatchObject({
      status: 400,
      body: { message: 'No assignments found for this day' },
    })
  })

  it.for([
    '2027-02-29',
    '2027-13-01',
    '2027-00-10',
    '2027-04-31',
    '27-04-01',
    '2027-4-1',
    '01.04.2027',
    '0000-01-01',
    '9999-12-31',
    'today',
    '',
    '2027-04-01T00:00',
    '２０２７-04-01',
  ])('are refused for the day "%s"', async (day) => {
    const { owner, name, device, table1, maya, ana, assign, standBy } = await floorOf()
    const refused = { status: 400, body: { code: 'invalid', message: 'Please choose a date' } }
    for (const call of [
      assign({ [table1]: maya }, day),
      standBy([ana], day),
      owner.call(api.floor.copyFromPrevious, { body: { date: day } }),
      owner.call(api.floor.copyToWeek, { body: { sourceDate: day } }),
      owner.call(api.floor.assignmentsByDate, { query: { date: day } }),
      device.call(api.floor.crewAssignments, {
        query: { restaurantId: name, crewMemberId: maya, date: day },
      }),
    ]) {
      expect(await call).toMatchObject(refused)
    }
  })
})
