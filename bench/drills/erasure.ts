import { createHash, randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { tableside } from '../../test/support/servers/command-line.ts'
import { openSql, uuid } from '../load/bulk-sql.ts'
import { fillHistory } from '../load/scale-fill.ts'
import { formatFigure, markdownTable } from '../load/statistics.ts'
import { busyRestaurants, startBusyServer, waits } from '../systems/busy-server.ts'
import { restaurantName } from '../systems/system-under-test.ts'
import { runDrill } from './drill.ts'

/** A large restaurant is exported by the operator, downloaded by its owner, and then erased while others work. On SQLite and PostgreSQL. */
const { values: options } = parseArgs({ options: { requests: { type: 'string', default: '200000' } } })
const stored = Number(options.requests)
const quietMs = 10_000
const large = restaurantName(busyRestaurants)

/** Signs its owner in, without a password. */
async function signOwnerIn(url: string, token: string): Promise<void> {
  const [id, now] = [uuid(`${busyRestaurants}`), Date.now()]
  const hash = createHash('sha256').update(token).digest('base64url')
  const sql = await openSql(url)
  await sql.run(`insert into owner (id, restaurant_id, email, email_key, password_hash, created_at)
    values ('owner', ${id}, 'owner@example.com', 'owner@example.com', 'h', ${now})`)
  await sql.run(`insert into session (id, token_hash, restaurant_id, created_at)
    values ('owner', '${hash}', ${id}, ${now})`)
  await sql.run(`insert into session_grant
    (session_id, kind, subject_id, restaurant_id, auth_at, idle_until, absolute_until, via)
    values ('owner', 'owner', 'owner', ${id}, ${now}, ${now + dayMs}, ${now + dayMs}, 'password')`)
  await sql.close()
}

async function download(origin: string, token: string): Promise<void> {
  const answer = await fetch(origin + api.restaurant.download.path, {
    method: 'POST',
    headers: { cookie: `tsr=${token}`, origin, 'sec-fetch-site': 'same-origin' },
  })
  const text = answer.ok ? '' : await answer.text()
  if (!answer.ok) throw new Error(`${answer.status} ${text}`)
  for await (const _ of answer.body ?? []);
}

await runDrill(async ({ databaseUrl, folder, stops }) => {
  const rows: string[][] = []
  for (const [name, url] of [
    ['SQLite', `file:${join(folder, 'data/tableside.db')}`],
    ['PostgreSQL', databaseUrl],
  ] as const) {
    const token = randomBytes(24).toString('base64url')
    const busy = await startBusyServer(url, stops, {
      more: 1,
      async prepare() {
        await fillHistory(url, { restaurants: 1, requestsEach: stored, first: busyRestaurants })
        await signOwnerIn(url, token)
      },
    })
    const command = async (words: string[]) => {
      const { code, out, err } = await tableside([...words, '--json'], { DATABASE_URL: url })
      if (code !== 0) throw new Error(`${words.join(' ')}: ${out}${err}`)
    }
    const archive = join(folder, `${name}.zip`)
    const before = await busy.during(() => sleep(quietMs))
    const exported = await busy.during(() => command(['export', large, '--to', archive]))
    const downloaded = await busy.during(() => download(busy.origin, token))
    const erased = await busy.during(() => command(['erase', large, '--yes']))
    await busy.stopGuests()
    const sql = await openSql(url)
    const left = await sql.ids(
      `select q.id from service_request q where not exists (select 1 from restaurant r where r.id = q.restaurant_id)
        union all select id from restaurant where name = '${large}'`,
    )
    const ids = new Set(await sql.ids('select id from service_request'))
    await sql.close()
    rows.push([
      name,
      formatFigure(exported.ms / 1000),
      formatFigure(statSync(archive).size / 1e6),
      formatFigure(downloaded.ms / 1000),
      formatFigure(erased.ms / 1000),
      ...[before, exported, downloaded, erased].flatMap(({ taps }) =>
        [waits(taps).p99, waits(taps).longest].map(formatFigure),
      ),
      `${busy.taps.filter(({ id }) => !ids.has(id)).length}`,
      `${left.length}`,
    ])
  }
  console.log(
    `A restaurant with ${formatFigure(stored)} requests, while ${busyRestaurants} others get 50 a second.\n\n` +
      markdownTable(
        [
          '',
          'export, s',
          'MB',
          'download, s',
          'erasure, s',
          'answers to the others’ taps before, p99 in ms',
          'longest',
          'during the export, p99',
          'longest',
          'during the download, p99',
          'longest',
          'during the erasure, p99',
          'longest',
          'of the others, lost',
          'rows left of it',
        ],
        rows,
      ),
  )
})
