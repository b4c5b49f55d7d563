import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { applyMutant } from './apply.ts'
import { mutants } from './list.ts'
import type { Mutant } from './mutant.ts'

/** What the simulation needs, and what tests need besides; what is installed and built stays where it is. */
const copied = ['src', 'simulation', 'package.json', 'catalogues']
const copiedForTests = [
  'test',
  'scripts',
  'examples',
  'bench',
  'disk-faults',
  'fuzz',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
  'vitest.config.ts',
]

const { values } = parseArgs({
  options: {
    /** Only the faults whose name contains it. */
    only: { type: 'string', default: '' },
    /** How many of them are skipped first, and how many are tried after that. */
    skip: { type: 'string', default: '0' },
    first: { type: 'string', default: 'Infinity' },
    seeds: { type: 'string', default: '200' },
    for: { type: 'string', default: '60s' },
    /** Each once more without the promise that it was found to break, to tell what only that one shows. */
    alone: { type: 'boolean', default: false },
  },
})

const root = join(import.meta.dirname, '../..')
/** Not the cache, into which a build moves what it replaces: the copy may be on another file system. */
const packages = readdirSync(join(root, 'node_modules')).filter((name) => name !== '.cache')
const linked = ['dist', ...packages.map((name) => `node_modules/${name}`)]
const skip = Number(values.skip)
const chosen = mutants
  .filter(({ name }) => name.includes(values.only))
  .slice(skip, skip + Number(values.first))
if (chosen.some(({ foundBy }) => foundBy === undefined)) {
  const problem = await findFault(null)
  if (problem !== null) throw new Error(`Without a fault the simulation finds one:\n${problem}`)
}
let found = 0
for (const mutant of chosen) {
  const by = await findFault(mutant)
  if (by !== null) found++
  console.log(
    `${by === null ? 'NOT FOUND' : 'found    '}  ${mutant.name}${by === null ? '' : `\n           ${by}`}`,
  )
  const [, promise] = /^FAILED seed \d+ at step -?\d+: (\w+):/u.exec(by ?? '') ?? []
  if (values.alone && promise !== undefined)
    console.log(`           without ${promise}: ${(await findFault(mutant, promise)) ?? 'NOT FOUND'}`)
}
console.log(`${found} of ${chosen.length} found (${Math.round((100 * found) / chosen.length)} %)`)
process.exitCode = found === chosen.length ? 0 : 1

/** What the simulation, or the fault's own test, says about a copy of the product with it; null if it finds nothing. */
async function findFault(mutant: Mutant | null, without?: string): Promise<string | null> {
  const copy = mkdtempSync(join(tmpdir(), 'tableside-mutant-'))
  const test = mutant?.foundBy
  const simulated = [`--seeds=${values.seeds}`, `--for=${values.for}`, '--no-shrink']
  if (without !== undefined) simulated.push(`--without=${without}`)
  try {
    for (const path of test === undefined ? copied : [...copied, ...copiedForTests])
      cpSync(join(root, path), join(copy, path), { recursive: true })
    mkdirSync(join(copy, 'node_modules'))
    for (const path of linked) symlinkSync(join(root, path), join(copy, path))
    for (const [file, text] of mutant ? applyMutant(mutant, root) : []) writeFileSync(join(copy, file), text)
    const { code, output } = await (test === undefined
      ? runIn(copy, 'simulation/main.ts', ...simulated)
      : runIn(copy, 'node_modules/vitest/vitest.mjs', 'run', test))
    if (code === 0) return null
    const line = output.split('\n').find((each) => /^(?:FAILED| *FAIL )/u.test(each))
    // A test that cannot begin finds nothing.
    if (test !== undefined && line === undefined) throw new Error(`${test} does not run:\n${output}`)
    return (line?.trim() ?? (output.trim() || 'it does not end')).slice(0, 200)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

async function runIn(cwd: string, script: string, ...args: string[]) {
  const run = spawn(process.execPath, [join(cwd, script), ...args], {
    cwd,
    timeout: 300_000,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  })
  let output = ''
  run.stdout.on('data', (data: Buffer) => (output += data.toString()))
  run.stderr.on('data', (data: Buffer) => (output += data.toString()))
  const [code]: unknown[] = await once(run, 'close')
  return { code, output }
}
