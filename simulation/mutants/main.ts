import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutant, mutants } from './list.ts'

/** All that the simulation needs; what is installed and built stays where it is. */
const copied = ['src', 'simulation', 'package.json', 'catalogues']
const linked = ['node_modules', 'dist']

const { values } = parseArgs({
  options: {
    /** Those whose name contains it. */
    only: { type: 'string', default: '' },
    seeds: { type: 'string', default: '150' },
    for: { type: 'string', default: '60s' },
  },
})

const root = join(import.meta.dirname, '../..')
const chosen = mutants.filter(({ name }) => name.includes(values.only))
const sound = await simulate(null)
if (sound !== null) throw new Error(`Without a fault the simulation finds one:\n${sound}`)
let found = 0
for (const mutant of chosen) {
  const by = await simulate(mutant)
  if (by !== null) found++
  console.log(
    `${by === null ? 'NOT FOUND' : 'found    '}  ${mutant.name}${by === null ? '' : `\n           ${by}`}`,
  )
}
console.log(`${found} of ${chosen.length} found (${Math.round((100 * found) / chosen.length)} %)`)
process.exitCode = found === chosen.length ? 0 : 1

/** What the simulation says about a copy of the product with this fault; null if it finds nothing. */
async function simulate(mutant: Mutant | null): Promise<string | null> {
  const copy = mkdtempSync(join(tmpdir(), 'tableside-mutant-'))
  try {
    for (const path of copied) cpSync(join(root, path), join(copy, path), { recursive: true })
    for (const path of linked) symlinkSync(join(root, path), join(copy, path))
    for (const { file, find, replace } of mutant?.edits ?? []) {
      const before = readFileSync(join(copy, file), 'utf8')
      if (before.split(find).length !== 2) throw new Error(`${file} does not contain once: ${find}`)
      writeFileSync(
        join(copy, file),
        before.replace(find, () => replace),
      )
    }
    const args = [`--seeds=${values.seeds}`, `--for=${values.for}`, '--no-shrink']
    const run = spawn(process.execPath, [join(copy, 'simulation/main.ts'), ...args], {
      cwd: copy,
      timeout: 300_000,
    })
    let output = ''
    run.stdout.on('data', (data: Buffer) => (output += data.toString()))
    run.stderr.on('data', (data: Buffer) => (output += data.toString()))
    const [code] = await once(run, 'close')
    if (code === 0) return null
    const line = output.split('\n').find((each) => each.startsWith('FAILED'))
    return (line ?? (output.trim() || 'it does not end')).slice(0, 200)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
