import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { startServer } from '../test/support/servers/server-process.ts'
import { burst, openRestaurant, type Told } from './burst.ts'
import { findProblem } from './verify.ts'

/**
 * A disk that fails once: at the first call of a server, at the second, … until the server makes fewer. After a failed
 * write it says so and ends, with a full disk it refuses and goes on; and the next server finds everything that somebody
 * had been told.
 */
const { values } = parseArgs({
  options: {
    taps: { type: 'string', default: '18' },
    /** So many calls fail one by one, and of those after them fewer and fewer. */
    each: { type: 'string', default: '30' },
  },
})
const faults = {
  'a sync fails': 'fsync:error=EIO',
  'a write fails': 'pwrite64:error=EIO',
  'the disk is full': 'pwrite64:error=ENOSPC',
}
const statement = 'The disk failed a write of the database, so Tableside stops now'
const folder = mkdtempSync(join(tmpdir(), 'tableside-disk-errors-'))
const template = await openRestaurant(join(folder, 'template'))
const startedAt = performance.now()
let broken = 0

for (const [name, fault] of Object.entries(faults)) {
  const outcomes = new Map<string, number>()
  let last = 0
  for (let call = 1; ; call += Math.ceil(call / Number(values.each))) {
    const { outcome, problem } = await failAt(call, fault)
    if (outcome === null) break
    last = call
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    if (problem === null) continue
    broken++
    console.log(`BROKEN when ${name} at call ${call}: ${problem}`)
  }
  const counts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`)
  console.log(`${name}, at calls 1 to ${last}: ${counts.join(', ')}`)
}
rmSync(folder, { recursive: true, force: true })
const seconds = (performance.now() - startedAt) / 1000
console.log(`${broken} broken, ${seconds.toFixed(0)} s`)
process.exit(broken > 0 ? 1 : 0)

type Result = { outcome: string | null; problem: string | null }

/** The outcome is null when the server made fewer calls. */
async function failAt(call: number, fault: string): Promise<Result> {
  const data = join(folder, 'data')
  rmSync(data, { recursive: true, force: true })
  cpSync(dirname(template.database), data, { recursive: true })
  const database = join(data, basename(template.database))
  const log = join(folder, 'calls')
  const [name = ''] = fault.split(':')
  const paths = [database, `${database}-wal`].flatMap((path) => ['-P', path])
  const injection = ['-e', `trace=${name}`, '-e', `inject=${fault}:when=${call}`]
  const runner = ['strace', '-q', '-f', ...injection, ...paths, '-o', log]
  let told: Told = { requests: new Set(), completed: new Set() }
  let lines: readonly string[] = []
  const server = await startServer(`file:${database}`, {}, [], { runner }).catch((error: unknown) => {
    lines = [String(error)]
  })
  if (server) {
    told = await burst(server, template, Number(values.taps))
    await server.stop()
    ;({ lines } = server)
  }
  const isMade = readFileSync(log, 'latin1').includes('(INJECTED)')
  const isSaid = lines.some((line) => line.includes(statement))
  const isWhole = told.requests.size === Number(values.taps)
  const outcome = isSaid ? 'ended, saying so' : isWhole ? 'went on' : 'did not start'
  const isMute = server && !isSaid && !isWhole
  const problem = isMute
    ? `it ended without saying why: ${lines.join(' | ')}`
    : await findProblem(database, told)
  return { outcome: isMade ? outcome : null, problem }
}
