import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { findFailure } from './round.ts'

const inputsPerServer = 5_000

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '20000' },
    /** The first server's. Each further server has the next one. */
    seed: { type: 'string', default: '1' },
    /** No further server begins after so many seconds. */
    within: { type: 'string', default: 'Infinity' },
  },
})
const wanted = Number(values.inputs)
const first = Number(values.seed)
const startedAt = performance.now()
const seconds = () => (performance.now() - startedAt) / 1_000
const formatCount = (count: number): string => Math.round(count).toLocaleString('en')
let done = 0
let failed = false

for (const end of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(end, (error) => {
    console.error(`CRASHED at seed ${first + done / inputsPerServer}:`, error)
    process.exit(1)
  })

for (let seed = first; done < wanted && seconds() < Number(values.within) && !failed; seed++) {
  const wantedOfSeed = Math.min(inputsPerServer, wanted - done)
  const { count, failure } = await findFailure({ seed, count: wantedOfSeed })
  done += count
  if (!failure) continue
  failed = true
  console.log(`FAILED seed ${seed}: ${failure.problem}`)
  console.log(`by ${fc.stringify(failure.input)}`)
  console.log(`Again: npm run fuzz -- --seed=${seed} --inputs=${wantedOfSeed}`)
}

console.log(
  `${formatCount(done)} inputs from seed ${first} on in ${formatCount(seconds())} s (${formatCount(done / seconds())} a second)`,
)
process.exit(failed ? 1 : 0)
