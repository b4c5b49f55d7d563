import { fork } from 'node:child_process'
import { once } from 'node:events'

export type Totals = { seeds: number; taps: number; events: number; pushes: number }

/** What a process asks for that is done with a seed; it gets the next one, or null. */
const wanted = 'next seed'

/** Processes that each play the next seed as soon as they are done. The first one whose evening fails ends the others. */
export async function playInJobs(
  first: number,
  seeds: number,
  jobs: number,
): Promise<{ code: number; totals: Totals }> {
  const totals: Totals = { seeds: 0, taps: 0, events: 0, pushes: 0 }
  let next = first
  const takeSeed = () => (next < first + seeds ? next++ : null)
  const children = Array.from({ length: jobs }, () =>
    fork(process.argv[1] ?? '', [...process.argv.slice(2), '--jobs=1', '--asks']),
  )
  let code = 0
  await Promise.all(
    children.map(async (child) => {
      child.on('message', (said: typeof wanted | Totals) => {
        if (said === wanted) child.send({ seed: takeSeed() })
        else for (const name of ['seeds', 'taps', 'events', 'pushes'] as const) totals[name] += said[name]
      })
      const [own] = await once(child, 'close')
      if (own === 0 || code !== 0) return
      code = typeof own === 'number' ? own : 1
      for (const other of children) other.kill()
    }),
  )
  return { code, totals }
}

/** In such a process. */
export async function* askForSeeds(): AsyncGenerator<number> {
  for (;;) {
    const answered = once(process, 'message')
    process.send?.(wanted)
    const [answer]: { seed: number | null }[] = await answered
    if (!answer || answer.seed === null) return
    yield answer.seed
  }
}
