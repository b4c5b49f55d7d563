import { expect, it } from 'vitest'
import { Gatherer } from './gatherer.ts'

it('handles together what comes for one key within its window', async () => {
  const handled: string[] = []
  const gatherer = new Gatherer<string>(
    1,
    async (key, items) => void handled.push(`${key}: ${items.join(' ')}`),
  )
  await Promise.all([
    gatherer.add('a', ['one', 'two']),
    gatherer.add('b', ['other']),
    gatherer.add('a', ['three']),
  ])
  await gatherer.add('a', ['later'])
  expect(handled).toEqual(['a: one two three', 'b: other', 'a: later'])
})

it('lets what comes meanwhile wait until the last is handled', async () => {
  const batches: string[][] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const gatherer = new Gatherer<string>(0, async (_, items) => {
    batches.push(items)
    begin()
    await released
  })
  const first = gatherer.add('a', ['one'])
  await begun
  const second = gatherer.add('a', ['two'])
  const third = gatherer.add('b', ['beside']).then(() => gatherer.add('a', ['three']))
  await expect.poll(() => batches).toEqual([['one'], ['beside']])
  release()
  await Promise.all([first, second, third])
  expect(batches.flat().toSorted()).toEqual(['beside', 'one', 'three', 'two'])
})

it('what was gathered is not tried for each alone during an outage', async () => {
  const handled: string[][] = []
  const gatherer = new Gatherer<string>(
    0,
    async (_, items) => {
      handled.push(items)
      throw new Error('away')
    },
    (error) => error instanceof Error && error.message === 'away',
  )
  const outcomes = await Promise.allSettled(['one', 'two'].map((item) => gatherer.add('a', [item])))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(handled).toEqual([['one', 'two']])
})

it('fails only for those that cannot be handled even alone', async () => {
  const handled: string[] = []
  const gatherer = new Gatherer<string>(0, async (_, items) => {
    if (items.includes('bad')) throw new Error(items.join(' '))
    handled.push(...items)
  })
  const outcomes = await Promise.allSettled(['good', 'bad', 'fine'].map((item) => gatherer.add('a', [item])))
  expect(outcomes).toEqual([
    { status: 'fulfilled', value: undefined },
    { status: 'rejected', reason: new Error('bad') },
    { status: 'fulfilled', value: undefined },
  ])
  expect(handled.toSorted()).toEqual(['fine', 'good'])
  await gatherer.add('a', ['next'])
  expect(handled).toContain('next')
})
