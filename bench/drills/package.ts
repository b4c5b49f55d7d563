import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, promisify } from 'node:util'
import { freePort } from '../../test/support/ports.ts'
import { createTestAuthority } from '../../test/support/proxies/certificate.ts'
import { deployedProxies } from '../../test/support/proxies/deployed-proxies.ts'
import { cpuTimeMs } from '../load/machine.ts'
import { openSeats } from '../load/seats.ts'
import { formatFigure, markdownTable, percentile } from '../load/statistics.ts'
import { restaurantName } from '../systems/system-under-test.ts'
import { runDrill } from './drill.ts'

/**
 * What `npm pack` makes, installed as others install it, without this checkout's packages: two servers of it on
 * PostgreSQL, and requests through each proxy as `deploy` configures it, with TLS, or without a proxy.
 */
const { values: options } = parseArgs({ options: { requests: { type: 'string', default: '500' } } })
const requests = Number(options.requests)
const tables = 40
const restaurants = 20
const execute = promisify(execFile)

await runDrill(async ({ databaseUrl, folder, stops }) => {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((part) => !part.includes('node_modules'))
  const env = { ...process.env, PATH: path.join(delimiter), NODE_OPTIONS: '' }
  const timed = async <T>(work: () => Promise<T>): Promise<[seconds: string, T]> => {
    const start = performance.now()
    const result = await work()
    return [formatFigure((performance.now() - start) / 1000), result]
  }
  const place = join(folder, 'installed')
  mkdirSync(place)
  const [packS] = await timed(() => execute('npm', ['pack', '--pack-destination', folder], { env }))
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')
  const [installS] = await timed(() =>
    execute('npm', ['install', '--prefix', place, '--no-audit', '--no-fund', tarball], { env }),
  )
  const { stdout: used } = await execute('du', ['-sm', place])

  const { authority, issued } = createTestAuthority()
  const [port, first, second] = [await freePort(), await freePort(), await freePort()]
  const origin = `https://localhost:${port}`
  const start = async (nodePort: number) => {
    const settings = {
      NODE_ENV: 'production',
      BILLING: 'off',
      GUEST_LIMITS: 'off',
      DATABASE_URL: databaseUrl,
      PORT: `${nodePort}`,
      HOST: '127.0.0.1',
      PUBLIC_URL: origin,
      TRUST_PROXY: '127.0.0.1',
    }
    const child = spawn(join(place, 'node_modules/.bin/tableside'), ['start'], {
      cwd: place,
      env: { ...env, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    stops.push(async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    })
    for await (const line of createInterface(child.stdout)) if (line.includes(' is running at ')) break
    child.stdout.resume()
    return child.pid ?? 0
  }
  const [startS] = await timed(() => start(first))
  await start(second)
  await openSeats(origin, databaseUrl, { restaurants, screens: 0 })

  const rows: string[][] = []
  let sent = 0
  for (const name of ['nginx', 'Caddy'] as const) {
    const proxy = await deployedProxies[name]({
      port,
      nodes: [first, second],
      certificate: issued,
    })
    const agent = new Agent({ keepAlive: true, ca: authority, maxSockets: 8 })
    const cpuBefore = cpuTimeMs(process.pid)
    const times: number[] = []
    let refused = 0
    const from = sent
    const send = async () => {
      for (; sent < from + requests;) {
        const number = sent++
        const at = performance.now()
        const status = await tap(agent, origin, number)
        times.push(performance.now() - at)
        if (status >= 300) refused++
      }
    }
    await Promise.all(Array.from({ length: 8 }, send))
    rows.push([
      name,
      formatFigure(percentile(times, 0.5)),
      formatFigure(percentile(times, 0.99)),
      `${requests}, ${refused}`,
      formatFigure((cpuTimeMs(process.pid) - cpuBefore) / requests),
    ])
    agent.destroy()
    await proxy.stop()
  }
  console.log(
    [
      `The package has ${formatFigure(statSync(tarball).size / 1e6)} MB (packed in ${packS} s with a build) and takes ${used.split('\t')[0]} MB once installed with its own Node, in ${installS} s; ${startS} s later it serves.`,
      markdownTable(
        [
          '',
          'answer to a tap through TLS, p50 in ms',
          'p99',
          'taps, refused',
          'processor time of all processes, ms each',
        ],
        rows,
      ),
    ].join('\n\n'),
  )
})

/** Each table asks for each need once. */
function tap(agent: Agent, origin: string, number: number): Promise<number> {
  const types = ['drinks', 'food', 'check', 'assistance', 'other', 'general']
  const body = JSON.stringify({
    restaurantId: restaurantName(number % restaurants),
    tableNumber: `${(Math.floor(number / restaurants) % tables) + 1}`,
    serviceType: types[Math.floor(number / restaurants / tables) % types.length],
  })
  return new Promise((resolve, reject) => {
    const call = request(
      `${origin}/api/service-requests`,
      {
        agent,
        method: 'POST',
        headers: { origin, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}
