import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { freePort } from '../../test/support/ports.ts'
import { startPostgresServer, urlOfAll } from '../../test/support/postgres/postgres-server.ts'
import { type ServerProcess, startServer } from '../../test/support/servers/server-process.ts'
import { countLostAndDoubled, countWrongLists, startGuests } from '../load/guests.ts'
import { PageScreen } from '../load/page-screen.ts'
import { openSeats } from '../load/seats.ts'
import { formatFigure, markdownTable, percentile } from '../load/statistics.ts'
import { startRedis } from '../systems/redis.ts'
import { proxies, readProxy, runAlone, type Stops } from './drill.ts'

/**
 * Two nodes behind a proxy, on a PostgreSQL primary with a synchronous standby. Guests ask, and crews complete, while
 * the primary is killed with all its processes and the standby promoted. Then the former primary is back, outdated and
 * ready to take writes, and the new one restarts.
 */
const { values: options } = parseArgs({
  options: {
    screens: { type: 'string', default: '200' },
    proxy: { type: 'string', default: 'nginx' },
    redis: { type: 'boolean', default: false },
  },
})
const screenCount = Number(options.screens)
const proxyName = readProxy(options.proxy)
const restaurants = 20
const requestsPerSecond = 50
const warmUpMs = 5_000
/** Whoever promotes has to notice first. */
const noticedAfterMs = 2_000
const settleMs = 60_000

await runAlone(drill)

async function drill(stops: Stops): Promise<void> {
  const durable = { fsync: 'on' }
  const first = await startPostgresServer({ settings: { ...durable, synchronous_standby_names: '*' } })
  stops.push(() => first.remove())
  const second = await startPostgresServer({ primary: first, settings: durable })
  stops.push(() => second.remove())
  const databaseUrl = urlOfAll([first, second])
  const redis = options.redis ? await startRedis(stops) : null
  const ports = [await freePort(), await freePort()]
  const proxy = await proxies[proxyName](ports)
  stops.push(() => proxy.stop())
  const nodes: ServerProcess[] = []
  for (const port of ports)
    nodes.push(
      await startServer(databaseUrl, {
        PORT: `${port}`,
        HOST: '127.0.0.1',
        PUBLIC_URL: proxy.url,
        REDIS_URL: redis?.url ?? '',
        TRUST_PROXY: 'loopback',
      }),
    )
  stops.push(() => Promise.all(nodes.map((node) => node.stop())))

  const seats = await openSeats(proxy.url, first.url, { restaurants, screens: screenCount })
  const screens = seats.map((seat) => new PageScreen(seat))
  await Promise.all(screens.map((screen) => screen.whole()))
  const guests = startGuests(proxy.url, screens, { restaurants, perSecond: requestsPerSecond })
  const answered = () => guests.taps.filter((tap) => tap.answered).length
  await sleep(warmUpMs)

  await first.kill()
  await sleep(noticedAfterMs)
  const beforePromotion = guests.taps.filter((tap) => tap.answered)
  await second.promote()
  const promotedAt = performance.now()
  const since = (moment: number) => performance.now() - moment
  const timed = async (done: Promise<unknown>) => {
    await Promise.race([done, sleep(settleMs, undefined, { ref: false })])
    return since(promotedAt)
  }
  const [ready, tapped, shown] = await Promise.all([
    timed(Promise.all(nodes.map(isReady))),
    timed(until(() => answered() > beforePromotion.length)),
    timed(Promise.all(screens.map((screen) => screen.whole()))),
  ])
  const waiting = guests.taps.filter((tap) => !tap.answered)
  const caughtUp = await timed(until(() => waiting.every((tap) => tap.answered)))

  const client = new Client(second.url)
  await client.connect()
  const { lost: lostBefore } = await countLostAndDoubled(client, beforePromotion)

  await first.start({ synchronous_standby_names: '' })
  await client.end()
  await second.restart('fast')
  const restartedAt = performance.now()
  await Promise.all(nodes.map(isReady))
  const readyAgain = since(restartedAt)
  await sleep(warmUpMs)
  await guests.stop()
  const after = new Client(second.url)
  await after.connect()
  for (let tries = 0; tries < 20 && (await countWrongLists(after, screens)) > 0; tries++) await sleep(500)
  const { lost, doubled } = await countLostAndDoubled(after, guests.taps)
  const wrongLists = await countWrongLists(after, screens)
  const outdated = new Client(first.url)
  await outdated.connect()
  const { rows: strays } = await outdated.query<{ id: string }>('select id from service_request')
  const stored = await after.query<{ id: string }>('select id from service_request')
  const known = new Set(stored.rows.map(({ id }) => id))
  await Promise.all([after.end(), outdated.end()])

  const seconds = (ms: number) => formatFigure(ms / 1000)
  console.log(
    `${screenCount} screens, ${requestsPerSecond} requests per second, ${proxyName}, ${redis ? 'Redis' : 'LISTEN/NOTIFY'}.\n`,
  )
  console.log(
    markdownTable(
      ['after the promotion', 's'],
      [
        ['both nodes ready', seconds(ready)],
        ['the first tap stored', seconds(tapped)],
        ['all screens whole', seconds(shown)],
        ['all taps stored that waited', seconds(caughtUp)],
      ],
    ),
  )
  console.log(`
Slowest answer to a tap: ${seconds(
    percentile(
      guests.taps.map(({ waitMs }) => waitMs),
      1,
    ),
  )} s.
Requests acknowledged before the promotion: ${beforePromotion.length}, lost: ${lostBefore}. Of all ${guests.taps.length}: lost ${lost}, doubled ${doubled}. Screens whose list differs from the rows: ${wrongLists}.
The former primary came back outdated while the new one restarted: both nodes ready ${seconds(readyAgain)} s after that, requests that only the former primary has: ${strays.filter(({ id }) => !known.has(id)).length}.`)
  for (const screen of screens) screen.close()
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(20)
}

async function isReady({ url }: ServerProcess): Promise<void> {
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(50)
}
