import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { allowConnections } from '../network.ts'
import { freePort } from '../ports.ts'

const program = '/usr/sbin/pgbouncer'

/** Fewer connections than a node opens, so that its transactions keep changing places. */
const connections = 4

/** PgBouncer in transaction mode in front of a database. */
export async function startPgBouncer(databaseUrl: string, settings: Record<string, string> = {}) {
  if (!existsSync(program)) throw new Error('Please install PgBouncer: apt-get install pgbouncer')
  const target = new URL(databaseUrl)
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'tableside-pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  const login = [`user=${target.username}`, target.password && `password=${target.password}`].join(' ')
  const options = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: String(connections),
    ...settings,
  }
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=${target.hostname} port=${target.port} ${login}`,
      '[pgbouncer]',
      ...Object.entries(options).map(([name, value]) => `${name} = ${value}`),
    ].join('\n'),
  )
  const server = spawn(program, [file], {
    ...unprivileged(folder, file),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines: string[] = []
  for await (const line of createInterface(server.stderr))
    if (lines.push(line) && line.includes('process up')) break
  if (!lines.at(-1)?.includes('process up')) throw new Error(`PgBouncer did not start: ${lines.join('\n')}`)
  server.stderr.resume()
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  allowConnections(url.href)
  return {
    url: url.href,
    async stop() {
      server.kill('SIGKILL')
      await once(server, 'exit')
      await rm(folder, { recursive: true })
    },
  }
}

/** It refuses to run as root. */
function unprivileged(...paths: string[]): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  const [uid, gid] = [id('-u'), id('-g')]
  for (const path of paths) chownSync(path, uid, gid)
  return { uid, gid }
}
