import { describe, expect, it, onTestFinished } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../../../test/support/app.ts'
import { listOpen } from '../../storage/requests/requests.ts'
import { localDay } from '../dates.ts'

const app = setUpApp()

const date = '2027-03-01'

/** Tables 1 to 4; a terrace with 1 and 2, and a bar with none. */
async function dividedFloor() {
  const restaurant = await app.restaurant({ tables: ['1', '2', '3', '4'] })
  const { owner } = restaurant
  const tables = (await owner.ok(api.floor.tables, {})).map(({ id }) => id)
  const [table1 = '', table2 = '', table3 = '', table4 = ''] = tables
  const add = async (name: string) => (await owner.ok(api.sections.add, { body: { name } })).id
  const hire = async (name: string) => (await owner.ok(api.crew.add, { body: { name, role: 'Server' } })).id
  const [terrace, bar] = [await add('Terrace'), await add('Bar')]
  const arrange = (pairs: Record<string, string | null>) =>
    owner.call(api.sections.arrange, {
      body: { tables: Object.entries(pairs).map(([tableId, sectionId]) => ({ tableId, sectionId })) },
    })
  await arrange({ [table1]: terrace, [table2]: terrace })
  const plan = () => owner.ok(api.tables.plan, {})
  /** The numbers of the tables in each section. */
  const divided = async (): Promise<Record<string, string[]>> => {
    const { sections, tables: placed } = await plan()
    return Object.fromEntries(
      sections.map(({ id, name }) => [
        name,
        placed.filter(({ sectionId }) => sectionId === id).map(({ tableNumber }) => tableNumber),
      ]),
    )
  }
  const assign = (pairs: Record<string, string | null>, was?: { tableId: string; crewMemberId: string }[]) =>
    owner.call(api.sections.assign, {
      body: {
        date,
        sections: Object.entries(pairs).map(([sectionId, crewMemberId]) => ({ sectionId, crewMemberId })),
        ...(was && { was }),
      },
    })
  const assigned = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await owner.ok(api.floor.assignmentsByDate, { query: { date } })).map(({ tableId, crewMemberId }) => [
        tableId,
        crewMemberId,
      ]),
    )
  const crew = { maya: await hire('Maya'), tom: await hire('Tom') }
  return {
    ...restaurant,
    ...crew,
    table1,
    table2,
    table3,
    table4,
    terrace,
    bar,
    arrange,
    plan,
    divided,
    assign,
    assigned,
  }
}

const message = ({ status, body }: { status: number; body: unknown }) => ({
  status,
  message: body && typeof body === 'object' && 'message' in body ? body.message : undefined,
})

describe('a section', () => {
  it('is added, renamed, moved and deleted; its tables and crew stay without one', async () => {
    const { owner, terrace, bar, maya, divided, plan } = await dividedFloor()
    expect(await divided()).toEqual({ Terrace: ['1', '2'], Bar: [] })
    await owner.ok(api.sections.change, { params: { id: bar }, body: { name: ' The   Bar ' } })
    await owner.ok(api.sections.reorder, { body: { ids: [bar, terrace] } })
    expect(Object.keys(await divided())).toEqual(['The Bar', 'Terrace'])
    await owner.ok(api.crew.change, { params: { id: maya }, body: { sectionId: terrace } })
    expect((await plan()).members).toEqual([{ crewMemberId: maya, sectionId: terrace }])
    await owner.ok(api.sections.remove, { params: { id: terrace } })
    expect(await plan()).toMatchObject({
      sections: [{ id: bar, name: 'The Bar' }],
      tables: ['1', '2', '3', '4'].map((tableNumber) => ({ tableNumber, sectionId: null })),
      members: [],
    })
  })

  it('has a name of its own, whatever its case, of at most 40 characters', async () => {
    const { owner, bar, divided } = await dividedFloor()
    const add = async (name: string) => message(await owner.call(api.sections.add, { body: { name } }))
    const taken = { status: 409, message: 'This section already exists' }
    expect(await add('  TERRACE ')).toEqual(taken)
    expect(await add(' ')).toEqual({ status: 400, message: 'Please enter a section name' })
    expect(await add('x'.repeat(41))).toEqual({ status: 400, message: 'Please use at most 40 characters' })
    const rename = (name: string) => owner.call(api.sections.change, { params: { id: bar }, body: { name } })
    expect(message(await rename('terrace'))).toEqual(taken)
    expect((await rename('BAR')).status).toBe(200)
    expect(Object.keys(await divided())).toEqual(['Terrace', 'BAR'])
  })

  it('is one of at most 20', async () => {
    const { owner, divided } = await dividedFloor()
    const names = Array.from({ length: 18 }, (_, index) => `Section ${index}`)
    for (const name of names) await owner.ok(api.sections.add, { body: { name } })
    expect(message(await owner.call(api.sections.add, { body: { name: 'One more' } }))).toEqual({
      status: 409,
      message: 'A restaurant has at most 20 sections',
    })
    expect(Object.keys(await divided())).toHaveLength(20)
  })

  it('is added once by two who add it at the same moment', async () => {
    const { owner, divided } = await dividedFloor()
    const answers = await Promise.all(
      [1, 2, 3].map(() => owner.call(api.sections.add, { body: { name: 'Garden' } })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
    expect(Object.keys(await divided())).toEqual(['Terrace', 'Bar', 'Garden'])
  })

  it('is refused in words when it or its order is out of date', async () => {
    const { owner, terrace, bar, divided } = await dividedFloor()
    const reorder = async (...ids: string[]) =>
      message(await owner.call(api.sections.reorder, { body: { ids } }))
    const outdated = { status: 409, message: 'Somebody else changed the sections meanwhile' }
    const unknown = { status: 404, message: 'Section not found' }
    expect(await reorder(bar)).toEqual(outdated)
    expect(await reorder(bar, bar)).toEqual(outdated)
    expect(await reorder(bar, 'nothing')).toEqual(unknown)
    await owner.ok(api.sections.remove, { params: { id: bar } })
    expect(await reorder(bar, terrace)).toEqual(unknown)
    const gone = { params: { id: bar } }
    expect(message(await owner.call(api.sections.remove, gone))).toEqual(unknown)
    expect(message(await owner.call(api.sections.change, { ...gone, body: { name: 'Bar' } }))).toEqual(
      unknown,
    )
    expect(await divided()).toEqual({ Terrace: ['1', '2'] })
  })

  it('is recorded with what is done to it', async () => {
    const { owner, terrace, bar, table3, maya, assign } = await dividedFloor()
    await owner.ok(api.sections.arrange, {
      body: {
        tables: [
          { tableId: table3, sectionId: bar },
          { tableId: table3, place: { x: 0, y: 0 } },
        ],
      },
    })
    await owner.ok(api.sections.arrange, { body: { tables: [{ tableId: table3, place: { x: 1, y: 1 } }] } })
    await assign({ [terrace]: maya, [bar]: null })
    await owner.ok(api.sections.change, { params: { id: bar }, body: { name: 'Lounge' } })
    await owner.ok(api.sections.reorder, { body: { ids: [bar, terrace] } })
    await owner.ok(api.sections.remove, { params: { id: bar } })
    const { entries } = await owner.ok(api.audit.list, { query: {} })
    const about = entries.filter(({ action }) => action.startsWith('sections.'))
    expect(about.map(({ action, detail }) => [action, detail])).toEqual([
      ['sections.remove', { name: 'Lounge' }],
      ['sections.reorder', { sections: ['Lounge', 'Terrace'] }],
      ['sections.change', { name: 'Lounge', before: 'Bar' }],
      ['sections.assign', { date, sections: ['Terrace: Maya', 'Bar: nobody'] }],
      ['sections.arrange', { tables: ['3: Bar'] }],
      ['sections.arrange', { tables: ['1: Terrace', '2: Terrace'] }],
      ['sections.add', { name: 'Bar' }],
      ['sections.add', { name: 'Terrace' }],
    ])
  })
})

describe('arranging tables', () => {
  it('changes only what is given, several tables at once', async () => {
    const { owner, table1, table3, table4, terrace, bar, plan, divided } = await dividedFloor()
    await owner.ok(api.sections.arrange, {
      body: {
        tables: [
          { tableId: table1, place: { x: 3, y: 0 } },
          { tableId: table3, sectionId: bar },
          { tableId: table4, sectionId: terrace, place: { x: 23, y: 23 } },
        ],
      },
    })
    expect(await divided()).toEqual({ Terrace: ['1', '2', '4'], Bar: ['3'] })
    const places = async () => (await plan()).tables.map(({ place }) => place)
    expect(await places()).toEqual([{ x: 3, y: 0 }, null, null, { x: 23, y: 23 }])
    await owner.ok(api.sections.arrange, {
      body: { tables: [{ tableId: table4, sectionId: null, place: null }] },
    })
    expect(await divided()).toEqual({ Terrace: ['1', '2'], Bar: ['3'] })
    expect(await places()).toEqual([{ x: 3, y: 0 }, null, null, null])
  })

  it('changes nothing when one of the tables is refused', async () => {
    const { owner, table1, bar, divided, plan } = await dividedFloor()
    const stand = (await owner.ok(api.floor.hostStand, {})).id
    const before = await plan()
    const refused: [tables: object[], status: number, message: string][] = [
      [[{ tableId: 'nothing', sectionId: bar }], 404, 'Table not found'],
      [[{ tableId: stand, sectionId: bar }], 400, 'The host stand is in no section'],
      [[{ tableId: table1, sectionId: 'nothing' }], 404, 'Section not found'],
      [[{ tableId: table1, place: { x: 24, y: 0 } }], 400, 'Not a place on the map'],
      [[{ tableId: table1, place: { x: -1, y: 0 } }], 400, 'Not a place on the map'],
      [[{ tableId: table1, place: { x: 0.5, y: 0 } }], 400, 'Not a place on the map'],
    ]
    for (const [tables, status, text] of refused) {
      const given = [{ tableId: table1, sectionId: bar }, ...tables]
      const answer = await owner.send('POST', '/api/floor-plan', { tables: given })
      expect({ tables, ...message(answer) }).toEqual({ tables, status, message: text })
    }
    expect(await plan()).toEqual(before)
    expect(await divided()).toMatchObject({ Terrace: expect.arrayContaining(['1']) })
  })

  it('gives a crew member only a section that there is', async () => {
    const { owner, maya, terrace, plan } = await dividedFloor()
    const give = (sectionId: string | null) =>
      owner.call(api.crew.change, { params: { id: maya }, body: { sectionId } })
    expect(message(await give('nothing'))).toEqual({ status: 404, message: 'Section not found' })
    expect((await give(terrace)).status).toBe(200)
    expect((await plan()).members).toEqual([{ crewMemberId: maya, sectionId: terrace }])
    await give(null)
    expect((await plan()).members).toEqual([])
  })
})

describe('assigning a section', () => {
  it('assigns its tables for the day and leaves the others; the answer can undo it', async () => {
    const { owner, table1, table2, table3, terrace, maya, tom, assign, assigned } = await dividedFloor()
    await owner.ok(api.floor.assign, {
      body: {
        date,
        assignments: [
          { tableId: table1, crewMemberId: tom },
          { tableId: table3, crewMemberId: tom },
        ],
      },
    })
    const { body } = await assign({ [terrace]: maya })
    expect(body).toMatchObject({ before: expect.arrayContaining([{ tableId: table1, crewMemberId: tom }]) })
    expect(await assigned()).toEqual({ [table1]: maya, [table2]: maya, [table3]: tom })
    await assign({ [terrace]: null })
    expect(await assigned()).toEqual({ [table3]: tom })
  })

  it('assigns several sections at once, or none when one is refused', async () => {
    const { table1, table2, table3, terrace, bar, maya, tom, arrange, assign, assigned } =
      await dividedFloor()
    await arrange({ [table3]: bar })
    expect(message(await assign({ [terrace]: maya, nothing: tom }))).toEqual({
      status: 404,
      message: 'Section not found',
    })
    expect(message(await assign({ [terrace]: maya, [bar]: 'nobody-known' }))).toEqual({
      status: 404,
      message: 'Crew member not found',
    })
    expect(await assigned()).toEqual({})
    expect((await assign({ [terrace]: maya, [bar]: tom })).status).toBe(200)
    expect(await assigned()).toEqual({ [table1]: maya, [table2]: maya, [table3]: tom })
  })

  it('is refused for a section without tables', async () => {
    const { bar, maya, assign } = await dividedFloor()
    expect(message(await assign({ [bar]: maya }))).toEqual({
      status: 400,
      message: 'There are no tables in this section',
    })
  })

  it('never overwrites what the caller has not seen', async () => {
    const { owner, table1, table2, table3, terrace, maya, tom, arrange, assign, assigned } =
      await dividedFloor()
    const outdated = { status: 409, message: 'Somebody else changed these tables meanwhile' }
    const answers = await Promise.all([assign({ [terrace]: maya }, []), assign({ [terrace]: tom }, [])])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    await assign({ [terrace]: maya })
    expect(message(await assign({ [terrace]: tom }, []))).toEqual(outdated)
    // A table that somebody else put into the section counts, too.
    await owner.ok(api.floor.assign, {
      body: { date, assignments: [{ tableId: table3, crewMemberId: maya }] },
    })
    await arrange({ [table3]: terrace })
    const seen = [table1, table2].map((tableId) => ({ tableId, crewMemberId: maya }))
    expect(message(await assign({ [terrace]: tom }, seen))).toEqual(outdated)
    expect(await assigned()).toEqual({ [table1]: maya, [table2]: maya, [table3]: maya })
    expect(
      (await assign({ [terrace]: tom }, [...seen, { tableId: table3, crewMemberId: maya }])).status,
    ).toBe(200)
  })
})

describe('a request from a section', () => {
  /** Ana works table 1, Ben 2 and Cleo 6; Dan has the terrace, with tables 1, 5 and 6, as his own. All listen. */
  async function busyTerrace() {
    const restaurant = await app.restaurant({ tables: ['1', '2', '3', '4', '5', '6'] })
    const { owner, name } = restaurant
    const tables = new Map(
      (await owner.ok(api.floor.tables, {})).map(({ id, tableNumber }) => [tableNumber, id]),
    )
    const hire = async (member: string) =>
      (await owner.ok(api.crew.add, { body: { name: member, role: 'Server' } })).id
    const ids = {
      ana: await hire('Ana'),
      ben: await hire('Ben'),
      cleo: await hire('Cleo'),
      dan: await hire('Dan'),
      eva: await hire('Eva'),
    }
    const works = { 1: ids.ana, 2: ids.ben, 6: ids.cleo }
    await owner.ok(api.floor.assign, {
      body: {
        date: localDay(app.now(), 'UTC'),
        assignments: Object.entries(works).map(([table, crewMemberId]) => ({
          tableId: tables.get(table) ?? '',
          crewMemberId,
        })),
      },
    })
    const { presence } = app.ctx
    Object.assign(app.ctx, {
      presence: () => ({ listening: true, screens: 5, listeners: new Set(Object.values(ids)) }),
    })
    onTestFinished(() => void Object.assign(app.ctx, { presence }))
    const divide = async () => {
      const { id } = await owner.ok(api.sections.add, { body: { name: 'Terrace' } })
      await owner.ok(api.sections.arrange, {
        body: {
          tables: ['1', '5', '6'].map((table) => ({ tableId: tables.get(table) ?? '', sectionId: id })),
        },
      })
      await owner.ok(api.crew.change, { params: { id: ids.dan }, body: { sectionId: id } })
    }
    const whoIsCalled = async (tableNumber: string): Promise<string[]> => {
      const body = { restaurantId: name, tableNumber, serviceType: 'drinks' } as const
      const { request } = await app.browser().ok(api.requests.send, { body })
      const open = await listOpen(app.ctx.db.reader, await app.idOf(restaurant))
      const called = open.find(({ id }) => id === request.id)?.called.split(' ') ?? []
      return called.map((id) => Object.entries(ids).find(([, known]) => known === id)?.[0] ?? id)
    }
    return { divide, whoIsCalled }
  }

  it('calls a colleague of the section, instead of whoever works the next table', async () => {
    const undivided = await busyTerrace()
    expect(await undivided.whoIsCalled('1')).toEqual(['ana', 'ben'])
    const divided = await busyTerrace()
    await divided.divide()
    expect(await divided.whoIsCalled('1')).toEqual(['ana', 'cleo'])
  })

  it('calls those of the section where nobody is assigned to the table', async () => {
    const { divide, whoIsCalled } = await busyTerrace()
    await divide()
    const called = await whoIsCalled('5')
    expect(called).toHaveLength(2)
    expect(['ana', 'cleo', 'dan']).toEqual(expect.arrayContaining(called))
  })
})
