import { WebSocket } from 'ws'
import { checkMailServer } from '../adapters/mailer.ts'
import type { Config } from '../config.ts'
import { askServer, controlPath } from '../control-socket.ts'
import { type Check, note, ok, problem, reasonOf, warning } from './check.ts'
import { silentLog, silentMetrics } from './operator.ts'

const timeoutMs = 5_000
const clockToleranceMs = 5_000

/** Whoever the server talks to, and whether guests reach it. */
export async function checkNetwork(config: Config): Promise<Check[]> {
  const checks = await Promise.all([checkServer(config), checkMail(config), checkRedis(config)])
  return checks.flat()
}

async function checkServer(config: Config): Promise<Check[]> {
  const path = controlPath(config.databaseUrl)
  const status = path === null ? undefined : await askServer(path, 'status').catch(() => undefined)
  if (path !== null && !status) return [note('server', 'It is not running')]
  const running = status ? [ok('server', `It is running at ${status.url}, process ${status.pid}`)] : []
  const url = config.port === 0 && status ? status.url : config.publicUrl
  return [...running, ...(await checkAddress(url, config.origins[0] ?? url, status !== undefined))]
}

/** As a guest's browser does it: the page, and then the live channel. */
async function checkAddress(url: string, origin: string, isRunning: boolean): Promise<Check[]> {
  const severe = isRunning ? problem : warning
  try {
    const response = await fetch(`${url}/readyz`, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'manual',
    })
    const body: unknown = await response.json().catch(() => null)
    if (!isReadiness(body)) return [severe('public url', `Something else than Tableside answers at ${url}`)]
    if (response.status !== 200)
      return [problem('public url', `The server at ${url} is not ready: ${body.problems.join(', ')}`)]
    return [
      ok('public url', `The server answers at ${url}`),
      ...checkResponseClock(response.headers.get('date')),
      await checkLiveChannel(url, origin),
    ]
  } catch (error) {
    return [severe('public url', `${url} cannot be reached from here: ${reasonOf(error)}`)]
  }
}

const isReadiness = (body: unknown): body is { problems: string[] } =>
  typeof body === 'object' && body !== null && 'problems' in body && Array.isArray(body.problems)

/** The clock of the server, or of the proxy before it. The header has no fractions of a second. */
function checkResponseClock(date: string | null): Check[] {
  const ahead = date === null ? Number.NaN : Date.parse(date) - Date.now()
  if (Number.isNaN(ahead) || Math.abs(ahead) <= clockToleranceMs) return []
  return [
    problem(
      'clock',
      `The server's differs from this machine's by ${Math.round(Math.abs(ahead) / 1000)} s. Please set both by NTP`,
    ),
  ]
}

async function checkLiveChannel(url: string, origin: string): Promise<Check> {
  const socket = new WebSocket(`${url.replace(/^http/u, 'ws')}/ws`, { origin, handshakeTimeout: timeoutMs })
  try {
    await new Promise<void>((opened, failed) => {
      socket.once('open', opened)
      socket.once('error', failed)
    })
    return ok('live channel', 'WebSockets pass')
  } catch (error) {
    return problem(
      'live channel',
      `WebSockets do not pass: ${reasonOf(error)}. Please let your proxy pass the Upgrade and Connection headers`,
    )
  } finally {
    socket.once('error', () => {})
    socket.terminate()
  }
}

async function checkMail({ mail }: Config): Promise<Check[]> {
  if (mail === null) return [note('mail', 'No mail server is set, so no e-mail is sent')]
  const { problem: reason } = await checkMailServer(mail)
  return [
    reason === null ? ok('mail', 'The mail server answers and accepts the login') : problem('mail', reason),
  ]
}

async function checkRedis({ redisUrl }: Config): Promise<Check[]> {
  if (redisUrl === null) return []
  const { createRedisBus } = await import('../adapters/bus/redis-bus.ts')
  const bus = await createRedisBus(redisUrl, silentLog, silentMetrics)
  try {
    return [
      (await bus.ready())
        ? ok('redis', 'It answers')
        : problem(
            'redis',
            'It cannot be reached, so nodes do not hear of each other. Please correct REDIS_URL, or start it',
          ),
    ]
  } finally {
    await bus.close()
  }
}
