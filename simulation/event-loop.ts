import type { VirtualTime } from './virtual-time.ts'
import { traffic } from './wire.ts'

/** Answers come over the machine's own network, within a turn; a few more for what an answer causes. */
const quietTurns = 8

export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Background work and calls may wait for time, which does not pass meanwhile. */
const mostIdleTurns = 400

/** Until nothing has arrived anywhere for some turns of the event loop. No time passes. */
export async function settled(whenIdle: () => Promise<void> = async () => {}): Promise<void> {
  const background = { isIdle: false }
  void whenIdle().then(() => {
    background.isIdle = true
  })
  let count = traffic.count
  for (
    let turns = 0, quiet = 0;
    quiet < quietTurns || ((!background.isIdle || traffic.calls > 0) && turns < mostIdleTurns);
    turns++
  ) {
    await turn()
    quiet = count === traffic.count ? quiet + 1 : 0
    count = traffic.count
  }
}

/** Until the work is done, for which time passes where it waits for time. */
export async function untilSettled(work: Promise<unknown>, time: VirtualTime): Promise<void> {
  const state = { isDone: false }
  const watched = work.finally(() => {
    state.isDone = true
  })
  watched.catch(() => {})
  for (let turns = 1; !state.isDone; turns++) {
    await turn()
    if (!state.isDone && turns % 50 === 0) time.runNext(time.now() + 100)
  }
  await watched
}
