import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { portOf } from '../../test/support/ports.ts'
import { LoadGenerator, type LoadResult } from '../load/load-generator.ts'
import { formatSpread, markdownTable, Series } from '../load/statistics.ts'
import { startTableside } from '../systems/tableside.ts'
import { runAlone, type Stops } from './drill.ts'

/**
 * What it costs to be watched: processor time of a request with its completion on a server that counts nothing, on one as
 * it is, one whose metrics are read every second, and one that makes traces of all requests, or of a tenth.
 */
const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, ms: { type: 'string', default: '3000' } },
})
const rounds = Number(options.rounds)
const measureMs = Number(options.ms)
const guests = 16

const noMetrics = ['--import', join(import.meta.dirname, '../systems/no-metrics.ts')]
const plain = 'as it is'

await runAlone(async (stops, folder) => {
  const collector = await startCollector(stops)
  const watched: [name: string, env: Record<string, string>, nodeOptions: string[]][] = [
    ['nothing counted or timed', {}, noMetrics],
    [plain, {}, []],
    ['metrics read every second', {}, []],
    ['traces of a tenth', tracesTo(collector.url, '0.1'), []],
    ['traces of all', tracesTo(collector.url, '1'), []],
  ]
  const loads: { name: string; load: LoadGenerator }[] = []
  for (const [index, [name, env, nodeOptions]] of watched.entries()) {
    Object.assign(process.env, env)
    const system = await startTableside(name, `file:${join(folder, `${index}/watched.db`)}`, {
      restaurants: 20,
      nodeOptions,
    })
    for (const key of Object.keys(env)) Reflect.deleteProperty(process.env, key)
    stops.push(() => system.stop())
    const load = await LoadGenerator.open(system, {
      restaurants: 20,
      screensPerRestaurant: 10,
      transports: ['http'],
    })
    loads.push({ name, load })
  }
  const results = new Series<LoadResult>()
  for (let round = 0; round < rounds; round++)
    for (const { name, load } of [
      ...loads.slice(round % loads.length),
      ...loads.slice(0, round % loads.length),
    ]) {
      const scraped = name.startsWith('metrics')
        ? startScraping(`${load.system.servers[0]?.url}/metrics`)
        : null
      results.add(name, '', await load.closedLoop('http', guests, measureMs / 4, measureMs))
      await scraped?.stop()
    }
  for (const { load } of loads) load.close()
  const server = ({ cpu }: LoadResult) => cpu.server * 1000
  console.log(
    `SQLite, over HTTP, ${guests} guests at once, 10 screens in each of 20 restaurants, ${rounds} rounds of ${measureMs} ms in turns; ${collector.spans()} bytes of traces received.\n\n` +
      markdownTable(
        ['', 'processor time of a request, in µs', '÷ as it is'],
        loads.map(({ name }) => [
          name,
          formatSpread(results.values(name, '', server)),
          formatSpread(results.ratios(name, plain, '', server), '×'),
        ]),
      ),
  )
})

function tracesTo(url: string, share: string): Record<string, string> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: share }
}

async function startCollector(stops: Stops) {
  let bytes = 0
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (bytes += chunk.length))
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return { url: `http://127.0.0.1:${portOf(server)}`, spans: () => bytes }
}

function startScraping(url: string) {
  const ended = new AbortController()
  const done = (async () => {
    while (!ended.signal.aborted) {
      await (await fetch(url)).text()
      await sleep(1000)
    }
  })()
  return {
    stop() {
      ended.abort()
      return done
    },
  }
}
