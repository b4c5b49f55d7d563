import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { promisesWithout } from './checkers/promises.ts'
import { playEvening } from './evening/play.ts'
import { playInJobs, type Totals } from './jobs.ts'
import { type Failure, type Result, run, start } from './run.ts'
import { createTemplate } from './server.ts'
import { shrink } from './shrink.ts'
import { deriveOptions, generateSteps, type Step } from './steps.ts'
import { installVirtualTime } from './virtual-time.ts'

const shownSteps = 12

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    /** How many seeds, from `seed` on. */
    seeds: { type: 'string', default: '1' },
    /** How much restaurant time each of them lasts. */
    for: { type: 'string', default: '60s' },
    /** How many processes play them, each the same number. */
    jobs: { type: 'string', default: '1' },
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

const promises = promisesWithout(values.without)
const startedAt = process.hrtime.bigint()
const seconds = () => Number(process.hrtime.bigint() - startedAt) / 1e9
const first = Number(values.seed)
if (Number(values.jobs) > 1) {
  const { code, totals } = await playInJobs(first, Number(values.seeds), Number(values.jobs))
  printTotals(totals)
  process.exit(code)
}
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

for (let seed = first; seed < first + Number(values.seeds) && seconds() < Number(values.within); seed++) {
  if (values.crew) {
    const result = await playEvening(time, { folder, template }, seed, forMs, promises)
    count(result, seed)
    if (!result.failure) continue
    failed = true
    report(result.failure, [])
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
  report(result.failure, steps)
  console.log(`options ${JSON.stringify(options)}`)
  if (!values.shrink) break
  const smaller = await shrink(steps, result.failure, async (some) => (await runSteps(some)).failure)
  console.log(`\nThe same with ${smaller.steps.length} of ${steps.length} steps:`)
  report(smaller.failure, smaller.steps)
  console.log(`Again: npm run simulate -- --seed=${seed} --for=${values.for}`)
  break
}

rmSync(folder, { recursive: true, force: true })
if (process.send) await new Promise((resolve) => process.send?.(totals, resolve))
else printTotals(totals)
// Threads and connections of the servers may still be open.
process.exit(failed ? 1 : 0)

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

function report({ step, promise, problem, story }: Failure, steps: readonly Step[]): void {
  console.log(`FAILED seed ${seedOf()} at step ${step}: ${promise}: ${problem}`)
  for (const [index, each] of steps.slice(0, step + 1).entries())
    if (index > step - shownSteps) console.log(`  ${index} ${JSON.stringify(each)}`)
  for (const line of story) console.log(`  ${line}`)
}

function seedOf(): number {
  return first + totals.seeds - 1
}
