import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { freePort } from '../../test/support/ports.ts'
import { type ServerProcess, startServer } from '../../test/support/servers/server-process.ts'
import { countLostAndDoubled, countWrongLists, startGuests, type TapResult } from '../load/guests.ts'
import { cpuTimeMs } from '../load/machine.ts'
import { PageScreen } from '../load/page-screen.ts'
import { openSeats } from '../load/seats.ts'
import { formatFigure, markdownTable, percentile } from '../load/statistics.ts'
import { type Redis, startRedis } from '../systems/redis.ts'
import { type Drill, proxies, readProxy, runDrill } from './drill.ts'

/**
 * Two nodes behind a proxy are restarted one after the other, then one is killed and started again, then PostgreSQL is
 * restarted, while crew screens are connected and guests ask for service. With `--redis`, Redis is killed too, and is
 * back after three seconds.
 */
const { values: options } = parseArgs({
  options: {
    screens: { type: 'string', default: '1000' },
    proxy: { type: 'string', default: 'nginx' },
    redis: { type: 'boolean', default: false },
  },
})
const proxyName = readProxy(options.proxy)
const screenCount = Number(options.screens)
const restaurants = 100
const requestsPerSecond = 50
const settleMs = 60_000
const pauseMs = 3_000
const redisAwayMs = 3_000

type Phase = {
  name: string
  absences: number[]
  taps: TapResult[]
  missing: number
  durationMs: number
  /** Processor time in milliseconds. The servers are the nodes and the proxy. */
  cpu: { servers: number; database: number; load: number }
}

await runDrill(drill)

async function drill({ postgres, databaseUrl, stops }: Drill): Promise<void> {
  const redis = options.redis ? await startRedis(stops) : null
  const ports = [await freePort(), await freePort()]
  const proxy = await proxies[proxyName](ports)
  stops.push(() => proxy.stop())
  const start = (port: number): Promise<ServerProcess> =>
    startServer(databaseUrl, {
      PORT: `${port}`,
      HOST: '127.0.0.1',
      PUBLIC_URL: proxy.url,
      REDIS_URL: redis?.url ?? '',
      TRUST_PROXY: 'loopback',
    })
  const nodes = new Map<number, ServerProcess>()
  stops.push(() => Promise.all([...nodes.values()].map((node) => node.stop())))
  for (const port of ports) nodes.set(port, await start(port))

  const seats = await openSeats(proxy.url, databaseUrl, { restaurants, screens: screenCount })
  const screens: PageScreen[] = []
  // A few at a time: this is not what is measured.
  for (let from = 0; from < seats.length; from += 50) {
    const batch = seats.slice(from, from + 50).map((seat) => new PageScreen(seat))
    screens.push(...batch)
    await Promise.all(batch.map((screen) => screen.whole()))
  }
  const guests = startGuests(proxy.url, screens, { restaurants, perSecond: requestsPerSecond })

  /** All of these processes were started by this one. */
  function readCpuTimes(): Phase['cpu'] {
    const { user, system } = process.cpuUsage()
    const load = (user + system) / 1000
    const database = cpuTimeMs(postgres.pid ?? 0)
    return { servers: cpuTimeMs(process.pid) - database - load, database, load }
  }

  async function measure(name: string, work: () => Promise<void>): Promise<Phase> {
    const absencesBefore = screens.map(({ absencesMs }) => absencesMs.length)
    const tapsBefore = guests.taps.length
    const startedAt = performance.now()
    const cpuBefore = readCpuTimes()
    const databaseBefore = postgres.pid
    await work()
    const settled = Promise.all(screens.map((screen) => screen.whole()))
    await Promise.race([settled, sleep(settleMs, undefined, { ref: false })])
    await sleep(pauseMs)
    const cpu = readCpuTimes()
    return {
      name,
      absences: screens.flatMap(({ absencesMs }, index) => absencesMs.slice(absencesBefore[index])),
      taps: guests.taps.slice(tapsBefore),
      missing: screens.filter((screen) => !screen.isWhole).length,
      durationMs: performance.now() - startedAt,
      cpu: {
        // What the processes took that have ended is not known.
        ...(postgres.pid === databaseBefore
          ? {
              servers: cpu.servers - cpuBefore.servers,
              database: cpu.database - cpuBefore.database,
            }
          : { servers: Number.NaN, database: Number.NaN }),
        load: cpu.load - cpuBefore.load,
      },
    }
  }

  const phases = [await measure('nothing', () => sleep(pauseMs))]
  phases.push(
    await measure('both nodes restarted in turn', async () => {
      for (const port of ports) {
        await nodes.get(port)?.stop()
        nodes.set(port, await start(port))
        await sleep(pauseMs)
      }
    }),
  )
  phases.push(
    await measure('one node killed, started again', async () => {
      const [port = 0] = ports
      await nodes.get(port)?.kill()
      nodes.set(port, await start(port))
    }),
  )
  const { restart } = postgres
  if (restart) phases.push(await measure('PostgreSQL restarted', restart))
  const client = new Client(databaseUrl)
  await client.connect()
  const allRightMs = redis && (await killRedis(redis))
  await guests.stop()
  for (let tries = 0; tries < 20 && (await countWrongLists(client, screens)) > 0; tries++) await sleep(500)
  report(phases)
  const { lost, doubled } = await countLostAndDoubled(client, guests.taps)
  const wrongLists = await countWrongLists(client, screens)
  console.log(
    `\nRequests lost: ${lost}, doubled: ${doubled}. Screens whose list differs from the rows: ${wrongLists}.`,
  )
  if (allRightMs !== null)
    console.log(
      `Redis killed, and back after ${redisAwayMs / 1000} s: all lists right ${formatFigure(allRightMs / 1000)} s after it was killed.`,
    )
  await client.end()
  for (const screen of screens) screen.close()

  /** Guests tap until Redis is back. Returns the time from the kill until all screens showed what is stored. */
  async function killRedis(running: Redis): Promise<number> {
    const killedAt = performance.now()
    await running.kill()
    await sleep(redisAwayMs)
    await running.start()
    guests.pause()
    while ((await countWrongLists(client, screens)) > 0) await sleep(20)
    return performance.now() - killedAt
  }
}

function report(phases: Phase[]): void {
  const bus = options.redis ? 'Redis' : 'LISTEN/NOTIFY'
  console.log(`${screenCount} screens, ${requestsPerSecond} requests per second, ${proxyName}, ${bus}.\n`)
  console.log(
    markdownTable(
      [
        '',
        'absences',
        'p50 in s',
        'p99',
        'longest',
        'not back',
        'requests',
        'first tries that failed',
        'slowest answer in s',
        'duration in s',
        'processor time in s: nodes and proxy',
        'database',
        'load',
      ],
      phases.map(({ name, absences, missing, taps, durationMs, cpu }) => [
        name,
        formatCount(absences.length),
        ...[0.5, 0.99, 1].map((share) => formatFigure(percentile(absences, share) / 1000)),
        formatCount(missing),
        formatCount(taps.length),
        formatCount(taps.filter(({ tries }) => tries > 1).length),
        formatFigure(Math.max(...taps.map(({ waitMs }) => waitMs)) / 1000),
        ...[durationMs, cpu.servers, cpu.database, cpu.load].map((ms) => formatFigure(ms / 1000)),
      ]),
    ),
  )
}

function formatCount(count: number): string {
  return count.toLocaleString('en')
}
