import { describe, expect, it } from 'vitest'
import { Refusal } from '../core/errors.ts'
import { FairQueue } from './fair-queue.ts'

/** A queue whose jobs end when the test says so; `started` lists them in the order in which they started. */
function queueUnderTest(longest: number) {
  const started: string[] = []
  const refused: string[] = []
  const endings: (() => void)[] = []
  const queue = new FairQueue({
    maxRunning: 2,
    maxRunningPerClient: 2,
    maxQueued: longest,
    maxQueuedPerClient: longest,
    createRefusal: (retryAfter) => new Refusal('unavailable', 'Full.', { retryAfter }),
  })
  const ask = (of: string) =>
    queue
      .add({ of }, () => {
        started.push(of)
        return new Promise<void>((resolve) => endings.push(resolve))
      })
      .catch(() => void refused.push(of))
  /** Ends the job that has run longest, and gives the next one a chance to start. */
  const endOne = async () => {
    endings.shift()?.()
    await new Promise(setImmediate)
  }
  return { ask, endOne, started, refused }
}

describe('the fair queue', () => {
  it('starts a job of every other caller before the next one of a flood', async () => {
    const { ask, endOne, started } = queueUnderTest(20)
    for (let index = 0; index < 10; index++) void ask('a flood')
    void ask('somebody')
    void ask('somebody else')
    expect(started).toEqual(['a flood', 'a flood'])
    for (let index = 0; index < 4; index++) await endOne()
    expect(started.slice(2)).toEqual(['a flood', 'somebody', 'somebody else', 'a flood'])
  })

  it('gives a newcomer a place from the longest line when it is full', async () => {
    const { ask, endOne, started, refused } = queueUnderTest(4)
    for (let index = 0; index < 7; index++) void ask('a flood')
    await endOne()
    // Two ran, four waited and one was refused; one place became free and was taken again.
    expect(refused).toEqual(['a flood'])
    void ask('a flood')
    void ask('somebody')
    await endOne()
    expect(refused).toEqual(['a flood', 'a flood'])
    await endOne()
    expect(started).toContain('somebody')
  })
})
