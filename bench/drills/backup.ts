import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { tableside } from '../../test/support/servers/command-line.ts'
import { startServer } from '../../test/support/servers/server-process.ts'
import { openSql } from '../load/bulk-sql.ts'
import { fillHistory } from '../load/scale-fill.ts'
import { formatFigure, markdownTable } from '../load/statistics.ts'
import { busyRestaurants, startBusyServer, waits } from '../systems/busy-server.ts'
import { runDrill } from './drill.ts'

/**
 * A backup while guests ask and crews complete, verified and restored into an empty place: every request that was
 * acknowledged before the backup began must be there. On SQLite and PostgreSQL.
 */
const { values: options } = parseArgs({ options: { requests: { type: 'string', default: '300000' } } })
const stored = Number(options.requests)
const quietMs = 10_000

await runDrill(async ({ postgres, databaseUrl, folder, stops }) => {
  const rows: string[][] = []
  for (const [name, url, emptyUrl] of [
    ['SQLite', `file:${join(folder, 'here/tableside.db')}`, `file:${join(folder, 'there/tableside.db')}`],
    ['PostgreSQL', databaseUrl, await postgres.database()],
  ] as const) {
    const busy = await startBusyServer(url, stops, {
      prepare: () =>
        fillHistory(url, { restaurants: busyRestaurants, requestsEach: stored / busyRestaurants }),
    })
    const before = await busy.during(() => sleep(quietMs))
    const acknowledged = busy.taps.filter(({ answered }) => answered).map(({ id }) => id)
    const file = join(folder, `${name}.backup`)
    const backup = await busy.during(() => run(['backup', file], url))
    await busy.stopGuests()
    const verified = await timed(() => run(['verify', file], url))
    const restored = await timed(() => run(['restore', file], emptyUrl))
    const there = await startServer(emptyUrl)
    const { status } = await fetch(`${there.url}/readyz`)
    await there.stop()
    const sql = await openSql(emptyUrl)
    const ids = new Set(await sql.ids('select id from service_request'))
    await sql.close()
    rows.push([
      name,
      formatFigure(statSync(file).size / 1e6),
      formatFigure(backup.ms / 1000),
      ...[before, backup].flatMap(({ taps }) => [waits(taps).p50, waits(taps).p99].map(formatFigure)),
      formatFigure(verified / 1000),
      formatFigure(restored / 1000),
      `${acknowledged.length}, ${acknowledged.filter((id) => !ids.has(id)).length}`,
      `${status}`,
    ])
  }
  console.log(
    `${formatFigure(stored)} requests stored, 50 a second during the backup.\n\n` +
      markdownTable(
        [
          '',
          'MB',
          'backup, s',
          'answer to a tap before, p50 in ms',
          'p99',
          'during it, p50',
          'p99',
          'verify, s',
          'restore, s',
          'acknowledged before it, missing',
          '`/readyz`',
        ],
        rows,
      ),
  )
})

async function run(words: string[], databaseUrl: string): Promise<void> {
  const { code, out, err } = await tableside([...words, '--json'], { DATABASE_URL: databaseUrl })
  if (code !== 0) throw new Error(`${words.join(' ')}: ${out}${err}`)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
