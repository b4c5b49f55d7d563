import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { anonymousActor } from '../../src/server/core/actor.ts'
import { Refusal } from '../../src/server/core/errors.ts'
import * as crewRequests from '../../src/server/core/requests/crew-requests.ts'
import { moveLateRequests } from '../../src/server/core/requests/escalation/late-requests.ts'
import { moveParty, undoPartyMove } from '../../src/server/core/requests/moves/party-moves.ts'
import * as reopenedRequests from '../../src/server/core/requests/moves/reopened-requests.ts'
import * as requests from '../../src/server/core/requests/requests.ts'
import { removeExpiredData } from '../../src/server/core/retention/retention.ts'
import { write } from '../../src/server/core/transaction.ts'
import * as partyMoves from '../../src/server/storage/requests/party-moves.ts'
import * as storedRequests from '../../src/server/storage/requests/requests.ts'
import { setUpApp } from '../support/app.ts'
import { deviceActor } from '../support/restaurants/device-actor.ts'

const app = setUpApp({ guestLimits: false })

const tables = ['1', '2', '3'] as const
const services = ['drinks', 'check'] as const
type Tap = { guest: number; table: (typeof tables)[number]; serviceType: (typeof services)[number] }
type Act =
  | { kind: 'move'; id: string; from: Tap['table']; to: Tap['table'] }
  | { kind: 'undo'; id: string }
  | { kind: 'accept' | 'release' | 'complete' | 'reopen' | 'cancel'; of: number }

const table = fc.constantFrom(...tables)
const tap: fc.Arbitrary<Tap> = fc.record({
  guest: fc.nat(3),
  table,
  serviceType: fc.constantFrom(...services),
})
const moveId = fc.constantFrom('move-1', 'move-2', 'move-3')
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('move' as const), id: moveId, from: table, to: table }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const), id: moveId }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'accept' as const,
        'release',
        'complete',
        'complete',
        'reopen',
        'reopen',
        'cancel',
      ),
      of: fc.nat(5),
    }),
  },
)

/** A part of a restaurant without set-up tables: the ids and table numbers that begin with the prefix. */
type Floor = { name: string; id: string; prefix: string }
let floorCount = 0
let restaurant: { name: string; id: string }
beforeAll(async () => {
  const { name } = await app.restaurant()
  restaurant = { name, id: await app.idOf({ name }) }
})

const crewActs = {
  accept: crewRequests.accept,
  release: crewRequests.release,
  complete: crewRequests.complete,
  reopen: reopenedRequests.reopen,
}

const guestActor = (guest: number) => anonymousActor('local', `guest-${guest}`)

async function openFloor(taps: readonly Tap[]): Promise<Floor> {
  const floor = { ...restaurant, prefix: `f${++floorCount}-` }
  for (const [index, { guest, table, serviceType }] of taps.entries()) {
    app.advance(1)
    await requests.send(app.ctx, guestActor(guest), {
      id: `${floor.prefix}tap-${index}`,
      restaurantId: floor.name,
      tableNumber: floor.prefix + table,
      serviceType,
    })
  }
  app.advance(1)
  return floor
}

async function perform({ id: restaurantId, prefix }: Floor, taps: readonly Tap[], act: Act): Promise<void> {
  const crew = deviceActor(restaurantId)
  try {
    switch (act.kind) {
      case 'move':
        return await moveParty(app.ctx, crew, {
          id: prefix + act.id,
          from: prefix + act.from,
          to: prefix + act.to,
        })
      case 'undo':
        return await undoPartyMove(app.ctx, crew, { id: prefix + act.id })
      case 'cancel': {
        const index = act.of % taps.length
        const rows = await requestOfTap(restaurantId, `${prefix}tap-${index}`)
        return void (await requests.cancel(app.ctx, guestActor(taps[index]?.guest ?? 0), rows))
      }
      default: {
        const request = await requestOfTap(restaurantId, `${prefix}tap-${act.of % taps.length}`)
        return void (await crewActs[act.kind](app.ctx, crew, request))
      }
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

const requestOfTap = (restaurantId: string, id: string) =>
  app.ctx.db.reader
    .selectFrom('requestEvent')
    .select('requestId as id')
    .where((e) => e.and({ restaurantId, id }))
    .executeTakeFirstOrThrow()

const rowsOf = async ({ id: restaurantId, prefix }: Floor) => {
  const rows = await app.ctx.db.reader
    .selectFrom('serviceRequest')
    .selectAll()
    .where('restaurantId', '=', restaurantId)
    .orderBy('id')
    .execute()
  return rows.filter(({ id }) => id.startsWith(prefix))
}

const openAt = async (floor: Floor): Promise<string[]> =>
  (await rowsOf(floor))
    .filter(({ closedAt }) => closedAt === null)
    .map(({ tableKey, asks }) => `${tableKey.replace(floor.prefix, '')} ×${asks}`)
    .toSorted()

const movesOf = async ({ id: restaurantId, prefix }: Floor) => {
  const moves = await app.ctx.db.reader
    .selectFrom('partyMove')
    .select(['id', 'fromKey', 'toKey', 'undoneAt'])
    .where('restaurantId', '=', restaurantId)
    .orderBy('id')
    .execute()
  return moves.filter(({ id }) => id.startsWith(prefix))
}

/** Without times. */
async function outcomeOf(floor: Floor): Promise<string> {
  const rows = (await rowsOf(floor)).map(
    ({ id, tableNumber, tableKey, movedTo, asks, closedAs, mergedInto, acceptedByName }) =>
      [id, tableNumber, tableKey, movedTo, asks, closedAs, mergedInto, acceptedByName].join(' '),
  )
  const moves = (await movesOf(floor)).map(({ id, fromKey, toKey, undoneAt }) =>
    [id, fromKey, toKey, undoneAt !== null].join(' '),
  )
  return [...rows, ...moves].join('\n').replaceAll(floor.prefix, '')
}

/** What must be true whatever happened. */
async function expectSound(floor: Floor): Promise<void> {
  const rows = await rowsOf(floor)
  const events = await app.ctx.db.reader
    .selectFrom('requestEvent')
    .selectAll()
    .where('restaurantId', '=', floor.id)
    .execute()
  const count = (requestId: string, ...kinds: string[]) =>
    events.filter((event) => event.requestId === requestId && kinds.includes(event.kind)).length
  const open = rows.filter(({ closedAt }) => closedAt === null)
  for (const { id, asks, movedTo, tableNumber, tableKey } of open) {
    expect(count(id, 'created', 'asked') - count(id, 'taken_back')).toBe(asks)
    expect(movedTo ?? tableNumber).toBe(tableKey)
    expect(movedTo).not.toBe(tableNumber)
  }
  const ids = new Set(rows.map(({ id }) => id))
  const merged = rows.filter(({ closedAs }) => closedAs === 'merged')
  expect(merged.filter(({ mergedInto }) => !ids.has(mergedInto ?? ''))).toEqual([])
  expect(rows.filter(({ mergedInto }) => mergedInto !== null)).toEqual(merged)
}

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))

it('leaves the same rows as if what happens at once had happened one after another', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(tap, { minLength: 1, maxLength: 6 }),
      fc.array(act, { maxLength: 2 }),
      fc.array(act, { minLength: 2, maxLength: 3 }),
      async (taps, before, atOnce) => {
        const prepare = async () => {
          const floor = await openFloor(taps)
          for (const act of before) await perform(floor, taps, act)
          return floor
        }
        const floor = await prepare()
        await Promise.all(atOnce.map((act) => perform(floor, taps, act)))
        await expectSound(floor)
        const outcomes = []
        for (const order of permutations(atOnce)) {
          const other = await prepare()
          for (const act of order) await perform(other, taps, act)
          outcomes.push(await outcomeOf(other))
        }
        expect(outcomes).toContain(await outcomeOf(floor))
      },
    ),
    { numRuns: 20 },
  )
})

it('lets two parties change places at the same moment', async () => {
  const taps: Tap[] = [
    { guest: 0, table: '1', serviceType: 'drinks' },
    { guest: 1, table: '2', serviceType: 'drinks' },
  ]
  for (let round = 0; round < 5; round++) {
    const floor = await openFloor(taps)
    await Promise.all([
      perform(floor, taps, { kind: 'move', id: 'there', from: '1', to: '2' }),
      perform(floor, taps, { kind: 'move', id: 'back', from: '2', to: '1' }),
    ])
    await expectSound(floor)
    expect((await openAt(floor)).map((each) => each.slice(2))).toEqual(['×2'])
  }
})

it('opens a completed request where its party sits, also while that moves', async () => {
  const taps: Tap[] = [
    { guest: 0, table: '1', serviceType: 'drinks' },
    { guest: 1, table: '2', serviceType: 'drinks' },
  ]
  for (const joined of [false, true]) {
    const own = joined ? taps : taps.slice(0, 1)
    for (let round = 0; round < 5; round++) {
      const floor = await openFloor(own)
      await perform(floor, own, { kind: 'complete', of: 0 })
      app.advance(1)
      await Promise.all([
        perform(floor, own, { kind: 'move', id: 'move', from: '1', to: '2' }),
        perform(floor, own, { kind: 'reopen', of: 0 }),
      ])
      expect(await openAt(floor)).toEqual([joined ? '2 ×2' : '2 ×1'])
      await expectSound(floor)
      app.advance(1)
      await Promise.all([
        perform(floor, own, { kind: 'undo', id: 'move' }),
        perform(floor, own, { kind: 'reopen', of: 0 }),
      ])
      expect(await openAt(floor)).toEqual(joined ? ['1 ×1', '2 ×1'] : ['1 ×1'])
      await expectSound(floor)
    }
  }
})

it('loses no tap that is sent while its party moves', async () => {
  for (let round = 0; round < 5; round++) {
    const floor = await openFloor([{ guest: 0, table: '1', serviceType: 'drinks' }])
    const late = Array.from({ length: 6 }, (_, index) => ({
      id: `${floor.prefix}late-${index}`,
      restaurantId: floor.name,
      tableNumber: floor.prefix + (index % 3 === 0 ? '2' : '1'),
      serviceType: services[index % 2] ?? 'drinks',
    }))
    await Promise.all([
      ...late.map((each) => requests.send(app.ctx, guestActor(0), each)),
      perform(floor, [], { kind: 'move', id: 'move', from: '1', to: '2' }),
      ...late.map((each, index) => requests.send(app.ctx, guestActor(index), each)),
    ])
    await expectSound(floor)
    const events = await app.ctx.db.reader
      .selectFrom('requestEvent')
      .select('id')
      .where('restaurantId', '=', floor.id)
      .where('kind', 'in', ['created', 'asked'])
      .execute()
    const stored = new Set(events.map(({ id }) => id))
    expect(late.filter(({ id }) => !stored.has(id))).toEqual([])
  }
})

it('brings along a request that was under way while its party moved', async () => {
  const taps: Tap[] = [
    { guest: 0, table: '1', serviceType: 'drinks' },
    { guest: 1, table: '2', serviceType: 'drinks' },
  ]
  const floor = await openFloor(taps)
  // As if the request at table 1 had been stored just after the move had looked for it.
  await write(app.ctx, ({ db }) =>
    partyMoves.insert(db, {
      restaurantId: floor.id,
      id: `${floor.prefix}move`,
      fromKey: `${floor.prefix}1`,
      fromNumber: `${floor.prefix}1`,
      toKey: `${floor.prefix}2`,
      toNumber: `${floor.prefix}2`,
      at: app.now(),
      undoneAt: null,
      requests: '[]',
    }),
  )
  app.advance(1)
  const tableNumber = `${floor.prefix}1`
  const newcomer = { id: `${floor.prefix}tap-2`, restaurantId: floor.name, tableNumber } as const
  await requests.send(app.ctx, guestActor(2), { ...newcomer, serviceType: 'check' })
  await Promise.all([moveLateRequests(app.ctx), moveLateRequests(app.ctx)])
  expect(await openAt(floor)).toEqual(['1 ×1', '2 ×2'])
  await perform(floor, taps, { kind: 'undo', id: 'move' })
  expect(await openAt(floor)).toEqual(['1 ×1', '1 ×1', '2 ×1'])
  await moveLateRequests(app.ctx)
  expect(await openAt(floor)).toEqual(['1 ×1', '1 ×1', '2 ×1'])
})

/** As if the request had been stored there just after the move, or its undo, had looked for it. */
const storeLate = (floor: Floor, id: string, { guest, table, serviceType }: Tap) =>
  write(app.ctx, async ({ db, record }) => {
    const tableNumber = floor.prefix + table
    const at = app.now()
    await storedRequests.insertOrMerge(db, floor.id, {
      openRequestId: null,
      id: floor.prefix + id,
      tableId: null,
      tableNumber,
      tableKey: tableNumber,
      serviceType,
      createdAt: at,
      localDay: new Date(at).toISOString().slice(0, 10),
      verified: 0,
      byButton: 0,
      crew: '',
      called: '',
      level: 0,
      nextLevelAt: null,
      expectedFromMs: null,
      expectedUntilMs: null,
      need: null,
      choice: null,
      note: null,
    })
    record({
      restaurantId: floor.id,
      id: floor.prefix + id,
      requestId: floor.prefix + id,
      at,
      kind: 'created',
      actorKind: 'guest',
      actorId: `guest-${guest}`,
      actorName: null,
    })
  })

const openWithServices = async (floor: Floor): Promise<string[]> =>
  (await rowsOf(floor))
    .filter(({ closedAt }) => closedAt === null)
    .map(({ tableKey, serviceType, asks }) => `${tableKey.replace(floor.prefix, '')} ${serviceType} ×${asks}`)
    .toSorted()

it('brings along a late request of a party that had moved before', async () => {
  const floor = await openFloor([{ guest: 0, table: '1', serviceType: 'drinks' }])
  await perform(floor, [], { kind: 'move', id: 'move-1', from: '1', to: '2' })
  app.advance(1)
  await perform(floor, [], { kind: 'move', id: 'move-2', from: '2', to: '3' })
  await storeLate(floor, 'late', { guest: 0, table: '2', serviceType: 'check' })
  await moveLateRequests(app.ctx)
  expect(await openWithServices(floor)).toEqual(['3 check ×1', '3 drinks ×1'])
  await expectSound(floor)
})

it('leaves what others asked for where it is, although somebody of the party asked too', async () => {
  const floor = await openFloor([{ guest: 0, table: '1', serviceType: 'drinks' }])
  await perform(floor, [], { kind: 'move', id: 'move-1', from: '1', to: '2' })
  app.advance(1)
  await requests.send(app.ctx, guestActor(1), {
    id: `${floor.prefix}newcomer`,
    restaurantId: floor.name,
    tableNumber: `${floor.prefix}1`,
    serviceType: 'check',
  })
  await write(app.ctx, async ({ record }) =>
    record({
      restaurantId: floor.id,
      id: `${floor.prefix}late`,
      requestId: `${floor.prefix}newcomer`,
      at: app.now(),
      kind: 'asked',
      actorKind: 'guest',
      actorId: 'guest-0',
      actorName: null,
    }),
  )
  await moveLateRequests(app.ctx)
  expect(await openWithServices(floor)).toEqual(['1 check ×1', '2 drinks ×1'])
})

it('brings back a request that was under way while the move was undone', async () => {
  const floor = await openFloor([{ guest: 0, table: '1', serviceType: 'drinks' }])
  await requests.send(app.ctx, guestActor(1), {
    id: `${floor.prefix}food`,
    restaurantId: floor.name,
    tableNumber: `${floor.prefix}2`,
    serviceType: 'food',
  })
  app.advance(1)
  await perform(floor, [], { kind: 'move', id: 'move-1', from: '1', to: '2' })
  app.advance(1)
  await perform(floor, [], { kind: 'undo', id: 'move-1' })
  await storeLate(floor, 'late', { guest: 0, table: '2', serviceType: 'check' })
  await storeLate(floor, 'theirs', { guest: 1, table: '2', serviceType: 'drinks' })
  await Promise.all([moveLateRequests(app.ctx), moveLateRequests(app.ctx)])
  expect(await openWithServices(floor)).toEqual(['1 check ×1', '1 drinks ×1', '2 drinks ×1', '2 food ×1'])
})

it('leaves a request that another move has brought to the table', async () => {
  const floor = await openFloor([
    { guest: 0, table: '1', serviceType: 'drinks' },
    { guest: 0, table: '2', serviceType: 'check' },
  ])
  await perform(floor, [], { kind: 'move', id: 'move-1', from: '1', to: '3' })
  app.advance(1)
  await perform(floor, [], { kind: 'move', id: 'move-2', from: '2', to: '1' })
  await moveLateRequests(app.ctx)
  expect(await openWithServices(floor)).toEqual(['1 check ×1', '3 drinks ×1'])
})

it('gives each table only its own asks back of the requests that were merged', async () => {
  const floor = await openFloor([
    { guest: 1, table: '2', serviceType: 'drinks' },
    { guest: 0, table: '1', serviceType: 'drinks' },
  ])
  await perform(floor, [], { kind: 'move', id: 'move-1', from: '1', to: '2' })
  await storeLate(floor, 'late', { guest: 0, table: '1', serviceType: 'drinks' })
  await moveLateRequests(app.ctx)
  expect(await openWithServices(floor)).toEqual(['2 drinks ×3'])
  await perform(floor, [], { kind: 'undo', id: 'move-1' })
  expect(await openWithServices(floor)).toEqual(['1 drinks ×2', '2 drinks ×1'])
  await expectSound(floor)
})

it('bringing late requests to their party goes on with other restaurants when one of them fails', async () => {
  const floor = await openFloor([
    { guest: 0, table: '1', serviceType: 'drinks' },
    { guest: 0, table: '2', serviceType: 'drinks' },
  ])
  const { name } = await app.restaurant()
  const broken = { name, id: await app.idOf({ name }), prefix: `f${++floorCount}-` }
  for (const [index, each] of [floor, broken].entries()) {
    const tableNumber = `${each.prefix}1`
    const id = `${each.prefix}first`
    await requests.send(app.ctx, guestActor(0), {
      id,
      restaurantId: each.name,
      tableNumber,
      serviceType: 'food',
    })
    app.advance(1)
    await perform(each, [], { kind: 'move', id: 'move-1', from: '1', to: '3' })
    await storeLate(each, `late-${index}`, { guest: 0, table: '1', serviceType: 'check' })
  }
  await write(app.ctx, async ({ db }) => {
    const move = await partyMoves.find(db, broken.id, `${broken.prefix}move-1`)
    if (move) await partyMoves.setRequests(db, move, 'no JSON')
  })
  await moveLateRequests(app.ctx)
  expect(await openWithServices(floor)).toContain('3 check ×1')
  expect(await openWithServices(broken)).toContain('1 check ×1')
  expect(app.lines.filter((line) => line.includes('could not bring requests along'))).toHaveLength(1)
  app.advance(60_000)
})

it('remembers moves no longer than the visits that followed them', async () => {
  const floor = await openFloor([{ guest: 0, table: '1', serviceType: 'drinks' }])
  await perform(floor, [], { kind: 'move', id: 'move', from: '1', to: '2' })
  app.advance(7 * 3_600_000)
  await removeExpiredData(app.ctx)
  expect(await movesOf(floor)).toEqual([])
  const tableNumber = `${floor.prefix}1`
  const tap = { restaurantId: floor.name, tableNumber, serviceType: 'drinks' } as const
  const { request } = await requests.send(app.ctx, guestActor(3), tap)
  expect(request.tableNumber).toBe(tableNumber)
})
