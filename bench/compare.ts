import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { LoadGenerator, type LoadResult } from './load/load-generator.ts'
import { formatSpread, markdownTable, Series } from './load/statistics.ts'
import { findPostgres } from './systems/postgres.ts'
import type { SystemUnderTest, Transport } from './systems/system-under-test.ts'
import type { startTableside } from './systems/tableside.ts'

/**
 * Two versions of the product beside each other: this one, and one in another folder, built and with its packages.
 *
 * node bench/compare.ts ../other --engine postgresql --loads "live 16,http 256,live at 100" --rounds 9 --ms 1000
 * A load such as "live 16 with On my way" has the crew say so before each completion.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'sqlite' },
    loads: { type: 'string', default: 'live 16,live 64,live 256' },
    rounds: { type: 'string', default: '7' },
    ms: { type: 'string', default: '1000' },
  },
})
const [other = ''] = positionals
const restaurants = 20
const loads = values.loads.split(',').map((name) => name.trim())
const measureMs = Number(values.ms)

const transportNamed = (name: string): Transport => (name === 'http' ? 'http' : 'live')

const folder = await mkdtemp(join(tmpdir(), 'tableside-compare-'))
const postgres = values.engine === 'postgresql' ? await findPostgres(folder) : null

type Start = typeof startTableside

/** With the version's own code to talk to it. */
async function start(name: string, root: string): Promise<SystemUnderTest> {
  const module = pathToFileURL(join(resolve(root), 'bench/systems/tableside.ts')).href
  const { startTableside }: { startTableside: Start } = await import(module)
  const url = (await postgres?.database()) ?? `file:${join(folder, name, 'bench.db')}`
  return startTableside(name, url, { restaurants, databasePid: postgres?.pid ?? null, screensAsPages: true })
}

const onMyWay = ' with On my way'

async function measure(load: LoadGenerator, name: string): Promise<LoadResult> {
  const [transport = '', ...number] = name.replace(onMyWay, '').split(' ')
  const count = Number(number.at(-1))
  const run = [transportNamed(transport), count, measureMs / 5, measureMs] as const
  return number[0] === 'at'
    ? load.openLoop(...run)
    : load.closedLoop(...run, { accepts: name.endsWith(onMyWay) })
}

const versions = { other: await start('other', other), this: await start('this', '.') }
const crowds: LoadGenerator[] = []
for (const system of Object.values(versions))
  crowds.push(
    await LoadGenerator.open(system, { restaurants, screensPerRestaurant: 10, transports: ['live', 'http'] }),
  )
const results = new Series<LoadResult>()
// The first round, in which the servers compile their code, does not count.
for (let round = 0; round <= Number(values.rounds); round++)
  for (const name of loads)
    for (const crowd of round % 2 ? crowds : crowds.toReversed()) {
      const result = await measure(crowd, name)
      if (round > 0) results.add(crowd.system.name, name, result)
    }

const figures: Record<string, (result: LoadResult) => number> = {
  'requests per second': ({ perSecond }) => perSecond,
  'server, µs': ({ cpu }) => cpu.server * 1000,
  'database, µs': ({ cpu }) => cpu.database * 1000,
  'guest → answer, median in ms': ({ answer }) => answer.p50,
  'guest → crew screen, median in ms': ({ screen }) => screen.p50,
  'guest → crew screen, 99th': ({ screen }) => screen.p99,
  'writes per commit': ({ perCommit }) => perCommit,
}
console.log(
  markdownTable(
    ['', 'other', 'this', 'this ÷ other'],
    loads.flatMap((name) =>
      Object.entries(figures).map(([label, figure]) => [
        `${name}: ${label}`,
        formatSpread(results.values('other', name, figure)),
        formatSpread(results.values('this', name, figure)),
        formatSpread(results.ratios('this', 'other', name, figure), '×'),
      ]),
    ),
  ),
)
for (const crowd of crowds) crowd.close()
for (const system of Object.values(versions)) await system.stop()
await postgres?.stop()
await rm(folder, { recursive: true, force: true })
process.exit(0)
