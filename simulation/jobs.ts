import { fork } from 'node:child_process'
import { once } from 'node:events'

export type Totals = { seeds: number; taps: number; events: number; pushes: number }

/** Processes that play an equal part of the seeds each. The first one whose evening fails ends the others. */
export async function playInJobs(
  first: number,
  seeds: number,
  jobs: number,
): Promise<{ code: number; totals: Totals }> {
  const totals: Totals = { seeds: 0, taps: 0, events: 0, pushes: 0 }
  const starts = Array.from({ length: jobs + 1 }, (_, job) => first + Math.round((seeds * job) / jobs))
  const children = starts
    .slice(0, -1)
    .map((start, job) =>
      fork(process.argv[1] ?? '', [...process.argv.slice(2), ...partOf(start, starts[job + 1])]),
    )
  let code = 0
  await Promise.all(
    children.map(async (child) => {
      child.on('message', (part: Totals) => {
        for (const name of ['seeds', 'taps', 'events', 'pushes'] as const) totals[name] += part[name]
      })
      const [own] = await once(child, 'close')
      if (own === 0 || code !== 0) return
      code = typeof own === 'number' ? own : 1
      for (const other of children) other.kill()
    }),
  )
  return { code, totals }
}

/** Options that win over those given before. */
const partOf = (start: number, end = start): string[] => [
  `--seed=${start}`,
  `--seeds=${end - start}`,
  '--jobs=1',
]
