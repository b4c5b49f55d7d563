import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { createChance } from '../simulation/chance.ts'
import { openRestaurant, recordBurst } from './burst.ts'
import { Disk, type Remains } from './disk.ts'
import { findProblem } from './verify.ts'

/**
 * What power cuts leave: the system calls of a server in a burst are recorded, and from them come states in which its
 * disk may be found. Each has to open, and to hold everything that somebody had been told.
 */
const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    taps: { type: 'string', default: '300' },
  },
})
const chance = createChance(Number(values.seed))
const folder = mkdtempSync(join(tmpdir(), 'tableside-power-cuts-'))
const startedAt = performance.now()

const restaurant = await openRestaurant(join(folder, 'data'))
const { before, steps } = await recordBurst(restaurant, Number(values.taps), join(folder, 'traces'))
const countOf = (kind: string): number => steps.filter((step) => step.kind === kind).length
console.log(
  `${values.taps} taps: ${countOf('write')} writes, ${countOf('sync')} syncs, ${countOf('told')} answers and messages`,
)

const state = join(folder, 'state')
const cuts = Array.from({ length: Number(values.cuts) }, () => chance.index(steps.length))
const ascending = cuts.toSorted((a, b) => a - b)
const disk = new Disk(before)
const told = { requests: new Set<string>(), completed: new Set<string>() }
const digests = new Set<string>()
let [done, broken] = [0, 0]
for (const [index, step] of steps.entries()) {
  if (step.kind === 'told') {
    for (const id of step.requests) told.requests.add(id)
    for (const id of step.completed) told.completed.add(id)
  } else disk.change(step)
  for (; ascending[done] === index; done++) {
    const remains = disk.cutPower(chance)
    digests.add(remains.digest)
    restore(remains)
    const problem = await findProblem(join(state, basename(restaurant.database)), told)
    if (problem === null) continue
    broken++
    console.log(`BROKEN by cut ${done + 1} of seed ${values.seed}, after call ${index + 1}: ${problem}`)
  }
}
rmSync(folder, { recursive: true, force: true })
const seconds = (performance.now() - startedAt) / 1000
console.log(
  `${done} power cuts, ${digests.size} different states, ${broken} broken, ${told.requests.size} requests told, ${seconds.toFixed(0)} s`,
)
process.exit(broken > 0 ? 1 : 0)

function restore({ files }: Remains): void {
  rmSync(state, { recursive: true, force: true })
  mkdirSync(state)
  for (const [path, data] of files) writeFileSync(join(state, basename(path)), data)
}
