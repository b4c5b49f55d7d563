import { DatabaseError } from 'pg'
import { expect, it } from 'vitest'
import { type GroupMember, type GroupRunner, TransactionGroup } from './transaction-group.ts'
import { WaitingPlaces } from './waiting-places.ts'

const lockTimeout = () =>
  Object.assign(new DatabaseError('canceling statement due to lock timeout', 0, 'error'), { code: '55P03' })

const describe = (members: readonly GroupMember<unknown>[]) =>
  members.map(({ scope, keys }) => `${scope} ${keys.join('+')}`).join(', ')

/** A database in which somebody else may hold a scope's rows, or a scope's transactions fail together. */
function start({ atOnce = 2 } = {}) {
  const held = new Map<string, PromiseWithResolvers<void>>()
  const failing = new Set<string>()
  const log: string[] = []
  const runner: GroupRunner = {
    async run(members, { lockTimeoutMs, onCommitting }) {
      log.push(`${describe(members)}${lockTimeoutMs === undefined ? ' | patient' : ''}`)
      onCommitting?.()
      for (const { scope } of members) {
        if (failing.has(scope)) throw new Error('One execution of a statement cannot change a row twice')
        const holder = held.get(scope)
        if (holder && lockTimeoutMs !== undefined) throw lockTimeout()
        await holder?.promise
      }
      for (const member of members) member.resolve(undefined)
    },
    async runAlone(member) {
      log.push(`${describe([member])} | alone`)
      member.resolve(undefined)
    },
  }
  const group = new TransactionGroup(runner, atOnce, new WaitingPlaces(atOnce))
  return {
    log,
    failing,
    add: (scope: string, ...keys: string[]) =>
      new Promise((resolve, reject) => {
        group.add({ scope, keys, resolve, reject, task: async () => undefined })
      }),
    hold: (scope: string) => {
      const holder = Promise.withResolvers<void>()
      held.set(scope, holder)
      return {
        release: () => {
          held.delete(scope)
          holder.resolve()
        },
        giveUp: () => holder.reject(lockTimeout()),
      }
    },
  }
}

it('runs tasks that arrive together in one transaction, and those with a common key one after the other', async () => {
  const { add, log } = start()
  await Promise.all([
    add('A', 'table 1', 'tap 1'),
    add('B', 'table 1 of B', 'tap 2'),
    add('A', 'table 2', 'tap 1'),
    // Does not overtake the one before it.
    add('A', 'table 2', 'tap 3'),
  ])
  expect(log).toEqual(['A table 1+tap 1, B table 1 of B+tap 2', 'A table 2+tap 1', 'A table 2+tap 3'])
})

it('runs in one transaction what 256 guests ask for together', async () => {
  const { add, log } = start()
  await Promise.all(Array.from({ length: 256 }, (_, guest) => add('A', `table ${guest}`)))
  expect(log.length).toBe(1)
})

it('lets nobody wait for a scope whose rows are held, until it has been quiet for a while', async () => {
  const { add, hold, log } = start()
  const holder = hold('A')
  let isStored = false
  const taps = [add('A', '1'), add('A', '2')].map((tap) => tap.then(() => (isStored = true)))
  await Promise.all([add('B', '3'), add('C', '4')])
  taps.push(add('A', '1').then(() => (isStored = true)))
  for (let tap = 0; tap < 20; tap++) await Promise.all([add('B', '3'), add('C', '4')])
  expect(isStored).toBe(false)
  expect(log.filter((line) => line.startsWith('A'))).toEqual([
    'A 1, A 2, B 3, C 4',
    'A 1, A 2',
    'A 1, A 2 | patient',
  ])
  holder.release()
  await Promise.all(taps)
  await add('A', '5')
  expect(log.slice(-2)).toEqual(['A 1 | patient', 'A 5 | patient'])
})

it('refuses all that wait for held rows once the first of them has waited long enough', async () => {
  const { add, hold } = start()
  const holder = hold('A')
  const taps = [add('A', '1'), add('A', '2')]
  await add('B', '3')
  taps.push(add('A', '1'))
  const outcomes = Promise.allSettled(taps)
  holder.giveUp()
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})

it('lets only a few scopes wait for held rows at once, so that the others find a connection', async () => {
  const { add, hold, log } = start({ atOnce: 1 })
  const holders = ['A', 'B'].map(hold)
  const taps = [add('A', '1'), add('B', '2')]
  await add('C', '3')
  await add('C', '3')
  expect(log.filter((line) => line.endsWith('patient'))).toEqual(['A 1 | patient'])
  for (const { release } of holders) release()
  await Promise.all(taps)
})

it('runs a scope that fails for another reason one by one, and the others once more', async () => {
  const { add, failing, log } = start()
  failing.add('A')
  await Promise.all([add('A', '1'), add('A', '2'), add('B', '3'), add('C', '4')])
  expect(log.toSorted()).toEqual(
    ['A 1, A 2, B 3, C 4', 'A 1, A 2', 'A 1 | alone', 'A 2 | alone', 'B 3', 'C 4'].toSorted(),
  )
  log.length = 0
  await add('A', '1')
  expect(log).toEqual(['A 1', 'A 1 | alone'])
})
