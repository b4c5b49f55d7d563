import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { askForSeeds, playInJobs, type Totals } from './jobs.ts'
import type { Failure, Result } from './run.ts'
import type { Step } from './steps.ts'

const shownSteps = 12

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    /** How many seeds, from `seed` on. */
    seeds: { type: 'string', default: '1' },
    /** How much restaurant time each of them lasts. */
    for: { type: 'string', default: '60s' },
    /** How many processes play them. */
    jobs: { type: 'string', default: '1' },
    /** In each of them: the seeds come from the process that started it. */
    asks: { type: 'boolean', default: false },
    /** After this many seconds no further seed begins. */
    within: { type: 'string', default: 'Infinity' },
    /** Promises that are not checked, to tell what only one of them finds. */
    without: { type: 'string', multiple: true, default: [] },
    /** One line for each seed, with the digest of its events. */
    digests: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: true },
    /** Guests, and a crew that acts like one, instead of steps at random. */
    crew: { type: 'boolean', default: false },
    /** Such an evening as a page, in real time times the speed that is chosen there. */
    watch: { type: 'boolean', default: false },
    /** Where the page is; without it, where there is room. */
    port: { type: 'string', default: '0' },
  },
  allowNegative: true,
})

const [, amount = '60', unit = 's'] = /^(\d+)(s|m|h)$/u.exec(values.for) ?? []
const forMs =
  Number(amount) * { s: 1_000, m: 60_000, h: 3_600_000 }[unit === 'm' || unit === 'h' ? unit : 's']

const startedAt = process.hrtime.bigint()
const seconds = () => Number(process.hrtime.bigint() - startedAt) / 1e9
const first = Number(values.seed)
if (Number(values.jobs) > 1) {
  const { code, totals } = await playInJobs(first, Number(values.seeds), Number(values.jobs))
  printTotals(totals)
  process.exit(code)
}

// Loading all of it takes a second, which a process that only starts others need not wait for.
const { promisesWithout } = await import('./checkers/promises.ts')
const { playEvening } = await import('./evening/play.ts')
const { run, start } = await import('./run.ts')
const { createTemplate } = await import('./server.ts')
const { shrink } = await import('./shrink.ts')
const { deriveOptions, generateSteps } = await import('./steps.ts')
const { installVirtualTime } = await import('./virtual-time.ts')

const promises = promisesWithout(values.without)
const memory = '/dev/shm'
const folder = mkdtempSync(
  join(statSync(memory, { throwIfNoEntry: false }) ? memory : tmpdir(), 'tableside-simulation-'),
)
const template = await createTemplate(folder)
if (values.watch) {
  const { watch } = await import('./watch/watch.ts')
  await watch({ folder, template }, first, Number(values.port))
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}
const time = installVirtualTime(start)
const totals: Totals = { seeds: 0, taps: 0, events: 0, pushes: 0 }
let failed = false

for await (const seed of values.asks ? askForSeeds() : countSeeds()) {
  if (seconds() >= Number(values.within)) break
  if (values.crew) {
    const result = await playEvening(time, { folder, template }, seed, forMs, promises)
    count(result, seed)
    if (!result.failure) continue
    failed = true
    report(seed, result.failure, [])
    break
  }
  const options = deriveOptions(seed, forMs)
  const steps = generateSteps(options)
  const runSteps = (some: readonly Step[]): Promise<Result> =>
    run(time, { folder, template }, options, some, promises)
  const result = await runSteps(steps)
  count(result, seed)
  if (!result.failure) continue
  failed = true
  report(seed, result.failure, steps)
  console.log(`options ${JSON.stringify(options)}`)
  if (!values.shrink) break
  const smaller = await shrink(steps, result.failure, async (some) => (await runSteps(some)).failure)
  console.log(`\nThe same with ${smaller.steps.length} of ${steps.length} steps:`)
  report(seed, smaller.failure, smaller.steps)
  console.log(`Again: npm run simulate -- --seed=${seed} --for=${values.for}`)
  break
}

rmSync(folder, { recursive: true, force: true })
if (process.send) await new Promise((resolve) => process.send?.(totals, resolve))
else printTotals(totals)
// Threads and connections of the servers may still be open.
process.exit(failed ? 1 : 0)

function* countSeeds(): Generator<number> {
  for (let seed = first; seed < first + Number(values.seeds); seed++) yield seed
}

function count(result: Result, seed: number): void {
  totals.seeds++
  totals.events += result.events
  totals.taps += result.taps
  totals.pushes += result.pushes
  if (values.digests) console.log(`seed ${seed} ${result.digest}`)
}

function printTotals({ seeds, taps, events, pushes }: Totals): void {
  console.log(
    `${seeds} seeds of ${values.for}, ${taps} taps, ${events} events, ${pushes} pushes, ${seconds().toFixed(1)} s`,
  )
}

function report(seed: number, { step, promise, problem, story }: Failure, steps: readonly Step[]): void {
  console.log(`FAILED seed ${seed} at step ${step}: ${promise}: ${problem}`)
  for (const [index, each] of steps.slice(0, step + 1).entries())
    if (index > step - shownSteps) console.log(`  ${index} ${JSON.stringify(each)}`)
  for (const line of story) console.log(`  ${line}`)
}
