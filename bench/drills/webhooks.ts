import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { api } from '#contract/api.ts'
import { startHttpReceiver } from '../../test/support/outside/http-receiver.ts'
import { openSql } from '../load/bulk-sql.ts'
import { LoadGenerator, type LoadResult } from '../load/load-generator.ts'
import { formatFigure, markdownTable, percentile } from '../load/statistics.ts'
import { startTableside } from '../systems/tableside.ts'
import { runDrill } from './drill.ts'

/**
 * Each of 20 restaurants tells a webhook of every request and every completion, and other software reads its tables
 * with a token: first not at all, then with a receiver that answers, then with one that fails for ten seconds.
 */
const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '15' } } })
const restaurants = 20
const perSecond = 50
const loadMs = Number(options.seconds) * 1000
const failsMs = 10_000
const readEveryMs = 50
const giveUpAfterMs = 180_000
const calmSeconds = 10

type Sent = { type: string; timestamp: string; data: { request?: string } }

await runDrill(async ({ postgres, databaseUrl, stops }) => {
  const receiver = await startHttpReceiver()
  stops.push(() => receiver.stop())
  const arrivedAt: number[] = []
  const failed = new Set<number>()
  const { received } = receiver
  const push = received.push.bind(received)
  received.push = (...items) => {
    arrivedAt.push(Date.now())
    if (receiver.answer !== 200) failed.add(received.length)
    return push(...items)
  }
  process.env['OUTBOUND_ALLOW'] = '127.0.0.0/8'
  const system = await startTableside('', databaseUrl, { restaurants, databasePid: postgres.pid })
  stops.push(() => system.stop())
  const origin = system.servers[0]?.url ?? ''
  async function call<T>(
    { method, path }: { method: string; path: string },
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<T> {
    const answer = await fetch(origin + path, {
      method,
      headers: { origin, ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const load = await LoadGenerator.open(system, {
    restaurants,
    screensPerRestaurant: 5,
    transports: ['http'],
  })
  const run = () => load.openLoop('http', perSecond, loadMs / 5, loadMs)
  // The first requests make the server compile its code.
  await run()
  const rows: string[][] = []
  const note = (name: string, { answer, cpu }: LoadResult, more: string[]) =>
    rows.push([name, ...[answer.p50, answer.p99, cpu.server, cpu.database].map(formatFigure), ...more])
  note('without', await run(), ['–', '–', '–', '–', '–'])

  const tokens: string[] = []
  for (const cookie of system.ownerCookies) {
    const { channel } = await call<{ channel: { id: string } }>(
      api.outsideAlerts.addChannel,
      { cookie },
      {
        kind: 'webhook',
        address: `${receiver.url}/events`,
      },
    )
    const { method, path } = api.outsideAlerts.changeChannel
    await call(
      { method, path: path.replace(':id', channel.id) },
      { cookie },
      {
        topics: ['requests', 'completions'],
      },
    )
    const { token } = await call<{ token: string }>(
      api.apiTokens.create,
      { cookie },
      {
        name: 'A display',
        scopes: ['floor:read'],
        days: null,
      },
    )
    tokens.push(token)
  }

  const reading = startReading()
  const steady = await run()
  note('with a receiver that answers', steady, await delivered([], 0))
  const [toldBefore, arrivedBefore] = [await eventIds(), received.length]
  receiver.answer = 503
  const back = sleep(failsMs).then(() => (receiver.answer = 200))
  const failing = await run()
  await back
  note('with one that fails for 10 s', failing, await delivered(toldBefore, arrivedBefore))
  const reads = await reading.stop()
  load.close()
  console.log(
    [
      `${restaurants} restaurants, ${perSecond} requests a second with their completions, 5 screens each; on PostgreSQL.`,
      markdownTable(
        [
          '',
          'answer to a tap, p50 in ms',
          'p99',
          'processor time of a request, in ms: server',
          'database',
          'events',
          'delivered, by more than one success',
          'attempts that failed',
          'from the event to its delivery, p50 in s',
          'longest',
        ],
        rows,
      ),
      `${reads.times.length} reads with tokens meanwhile: p50 ${formatFigure(percentile(reads.times, 0.5))} ms, p99 ${formatFigure(percentile(reads.times, 0.99))} ms, refused ${reads.refused}.`,
    ].join('\n\n'),
  )

  async function eventIds(where = ''): Promise<string[]> {
    const sql = await openSql(databaseUrl)
    const ids = await sql.ids(`select id from outside_event ${where}`)
    await sql.close()
    return ids
  }

  /** Waits until nothing is left to be told, and compares what was with what has been stored since then. */
  async function delivered(before: readonly string[], from: number): Promise<string[]> {
    const deadline = Date.now() + giveUpAfterMs
    // What has happened is looked for every few seconds.
    for (let calm = 0, last = -1; calm < calmSeconds && Date.now() < deadline;) {
      await sleep(1000)
      const open = (await eventIds('where done_at is null')).length
      const all = (await eventIds()).length
      calm = open === 0 && all === last ? calm + 1 : 0
      last = all
    }
    const known = new Set(before)
    const events = (await eventIds()).filter((id) => !known.has(id))
    const arrivals = Map.groupBy(successes(from), ({ id }) => id)
    const firsts = events.flatMap((id) => arrivals.get(id)?.[0]?.delayMs ?? [])
    const all = successes(from).length
    return [
      `${events.length}`,
      `${firsts.length}, ${all - arrivals.size}`,
      `${received.length - from - all}`,
      formatFigure(percentile(firsts, 0.5) / 1000),
      formatFigure(Math.max(...firsts) / 1000),
    ]
  }

  /** Each delivery that was answered with success; the others come again. */
  function successes(from: number): { id: string; delayMs: number }[] {
    return received.slice(from).flatMap(({ headers, body }, index) => {
      if (failed.has(from + index)) return []
      const { timestamp }: Sent = JSON.parse(body)
      const delayMs = (arrivedAt[from + index] ?? Number.NaN) - Date.parse(timestamp)
      return [{ id: String(headers['webhook-id']), delayMs }]
    })
  }

  function startReading() {
    const times: number[] = []
    let [refused, reads] = [0, 0]
    const ended = new AbortController()
    const done = (async () => {
      while (!ended.signal.aborted) {
        const start = performance.now()
        const authorization = `Bearer ${tokens[reads++ % tokens.length]}`
        const answer = await fetch(origin + api.floor.tables.path, { headers: { authorization } })
        await answer.text()
        if (!answer.ok) refused++
        times.push(performance.now() - start)
        await sleep(readEveryMs)
      }
    })()
    return {
      async stop() {
        ended.abort()
        await done
        return { times, refused }
      },
    }
  }
})
