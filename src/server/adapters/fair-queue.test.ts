import { describe, expect, it } from 'vitest'
import { Refusal } from '../core/errors.ts'
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
    createRefusal: (retryAfter) => new Refusal('unavailable', 'Full.', { retryAfter }),
  })
  const add = (of: string) =>
    queue
      .add({ of }, () => {
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
})
