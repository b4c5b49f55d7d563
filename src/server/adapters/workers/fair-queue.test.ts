import { describe, expect, it } from 'vitest'
import { Refusal } from '../../core/errors.ts'
import type { Standing } from '../../ports/sign-in.ts'
import { FairQueue } from './fair-queue.ts'

/** A queue whose jobs finish when the test says so; `started` lists them in the order in which they started. */
function queueUnderTest(maxQueued: number) {
  const started: string[] = []
  const refused: string[] = []
  const finishers: (() => void)[] = []
  const queue = new FairQueue({
    maxRunning: 2,
    maxRunningPerClient: 2,
    maxQueued,
    maxQueuedPerClient: maxQueued,
    keptPlaces: { known: 2, named: 1 },
    createRefusal: (retryAfter) => new Refusal('unavailable', 'Full.', { retryAfter }),
  })
  const add = (of: string, standing?: Standing) =>
    queue
      .add({ of, ...(standing && { standing }) }, () => {
        started.push(of)
        return new Promise<void>((resolve) => finishers.push(resolve))
      })
      .catch(() => void refused.push(of))
  /** Finishes the job that has run longest, and gives the next one a chance to start. */
  const finishOne = async () => {
    finishers.shift()?.()
    await new Promise(setImmediate)
  }
  return { add, finishOne, started, refused }
}

describe('the fair queue', () => {
  it('starts a job of every other client before the next one of a flood', async () => {
    const { add, finishOne, started } = queueUnderTest(20)
    for (let index = 0; index < 10; index++) void add('a flood')
    void add('somebody')
    void add('somebody else')
    expect(started).toEqual(['a flood', 'a flood'])
    for (let index = 0; index < 4; index++) await finishOne()
    expect(started.slice(2)).toEqual(['a flood', 'somebody', 'somebody else', 'a flood'])
  })

  it('gives a newcomer a place from the longest line when it is full', async () => {
    const { add, finishOne, started, refused } = queueUnderTest(4)
    for (let index = 0; index < 7; index++) void add('a flood')
    await finishOne()
    // Two ran, four waited and one was refused; one place became free and was taken again.
    expect(refused).toEqual(['a flood'])
    void add('a flood')
    void add('somebody')
    await finishOne()
    expect(refused).toEqual(['a flood', 'a flood'])
    await finishOne()
    expect(started).toContain('somebody')
  })
  it('keeps places for those who are known when many strangers have one job each', async () => {
    const { add, finishOne, started, refused } = queueUnderTest(4)
    for (let index = 1; index <= 7; index++) void add(`stranger ${index}`)
    void add('named', 'named')
    void add('named too', 'named')
    for (let index = 1; index <= 3; index++) void add(`known ${index}`, 'known')
    await finishOne()
    // Whoever came last gives way. Beyond their places they are like everybody.
    expect(refused).toEqual(['stranger 7', 'stranger 6', 'named too', 'stranger 5', 'stranger 4', 'known 3'])
    for (let index = 0; index < 3; index++) await finishOne()
    expect(started.slice(2)).toEqual(['stranger 3', 'named', 'known 1', 'known 2'])
  })

  it('still takes a job from whoever has many of the places that are kept', async () => {
    const { add, finishOne, refused } = queueUnderTest(4)
    for (let index = 0; index < 6; index++) void add('a known flood', 'known')
    void add('a stranger')
    void add('somebody known', 'known')
    await finishOne()
    expect(refused).toEqual(['a known flood', 'a known flood'])
  })
})
