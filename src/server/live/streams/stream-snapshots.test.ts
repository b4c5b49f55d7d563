import { beforeEach, describe, expect, it } from 'vitest'
import { silentSocket } from '../../../../test/support/pages/silent-socket.ts'
import { anonymousActor } from '../../core/actor.ts'
import { Connection } from '../connection.ts'
import { StreamSequencer } from './stream-sequencer.ts'
import { StreamSnapshots } from './stream-snapshots.ts'

const stream = 'restaurant staff'
const maxReads = 3

let sequencer: StreamSequencer
let snapshots: StreamSnapshots
/** What the database holds. */
let lastSeq: number
let reads: (() => void)[]
beforeEach(() => {
  sequencer = new StreamSequencer(() => {})
  snapshots = new StreamSnapshots(
    () => 0,
    sequencer,
    async () => lastSeq,
    maxReads,
  )
  lastSeq = 1
  reads = []
})

/** A screen that has joined, and the numbers of the lists that it was sent. */
function joinScreen(since?: number, joined = stream) {
  const numbers: number[] = []
  const socket = {
    ...silentSocket,
    send: (frame: Buffer) => numbers.push(JSON.parse(frame.subarray(2).toString()).seq),
  }
  const read = async () => {
    const seq = lastSeq
    await new Promise<void>((resolve) => reads.push(resolve))
    return { type: 'pending-requests' as const, requests: [], recent: [], seq }
  }
  const sent = snapshots.send(new Connection(socket, anonymousActor(), 0), joined, since, read)
  return { numbers, sent }
}

function deliverEvent(): void {
  lastSeq++
  sequencer.receive(stream, lastSeq, { followers: 0 }, () => {})
}

async function finishReads(): Promise<void> {
  await expect.poll(() => reads.length).toBeGreaterThan(0)
  for (const finish of reads.splice(0)) finish()
}

describe('screens that ask while a list is read', () => {
  it('share it if it holds what was delivered before they joined', async () => {
    const first = joinScreen()
    await expect.poll(() => reads.length).toBe(1)
    sequencer.startAt(stream, 1)
    const others = Array.from({ length: 50 }, () => joinScreen())
    deliverEvent()
    await finishReads()
    await Promise.all([first, ...others].map(({ sent }) => sent))
    expect(others.map(({ numbers }) => numbers)).toEqual(others.map(() => [1]))
    expect(reads).toEqual([])
  })

  it('need only one more read, however much happens meanwhile', async () => {
    const first = joinScreen()
    await expect.poll(() => reads.length).toBe(1)
    sequencer.startAt(stream, 1)
    deliverEvent()
    const others = Array.from({ length: 50 }, () => joinScreen())
    await finishReads()
    await first.sent
    await expect.poll(() => reads.length).toBe(1)
    deliverEvent()
    await finishReads()
    await Promise.all(others.map(({ sent }) => sent))
    expect(others.map(({ numbers }) => numbers)).toEqual(others.map(() => [2]))
    expect(reads).toEqual([])
  })
})

it('a screen is not taken to have everything when an event came while nobody was here', async () => {
  const gone = joinScreen()
  await expect.poll(() => reads.length).toBe(1)
  // The screen left, so this event is delivered to nobody.
  lastSeq = 2
  sequencer.forget(stream)
  snapshots.forget(stream)
  await finishReads()
  await gone.sent
  expect(sequencer.position(stream)).toBeUndefined()
  const back = joinScreen(1)
  await finishReads()
  expect(await back.sent).toBe(true)
  expect(back.numbers).toEqual([2])
})

it('reads the lists of some restaurants at a time', async () => {
  const screens = Array.from({ length: maxReads + 1 }, (_, index) =>
    joinScreen(undefined, `restaurant ${index}`),
  )
  await expect.poll(() => reads.length).toBe(maxReads)
  await finishReads()
  await finishReads()
  await Promise.all(screens.map(({ sent }) => sent))
  expect(screens.map(({ numbers }) => numbers)).toEqual(screens.map(() => [1]))
})
