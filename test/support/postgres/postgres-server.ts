import { execFile } from 'node:child_process'
import { existsSync, globSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { allowConnections } from '../network.ts'
import { freePort } from '../ports.ts'

const run = promisify(execFile)

const binaries = [...globSync('/usr/lib/postgresql/*/bin'), '/usr/local/bin', '/usr/bin'].find((folder) =>
  existsSync(join(folder, 'initdb')),
)

export type PostgresServer = Awaited<ReturnType<typeof startPostgresServer>>

type Options = {
  settings?: Record<string, string>
  /** In its data folder, for it alone to read. */
  files?: Record<string, string>
  /** The server that it copies, until it is promoted. */
  primary?: { url: string }
  /** The folder of its own folder. */
  within?: string
}

/** A PostgreSQL server of its own, from what is installed. */
export async function startPostgresServer({
  settings = {},
  files = {},
  primary,
  within = tmpdir(),
}: Options = {}) {
  if (binaries === undefined) throw new Error('Please install PostgreSQL: apt-get install postgresql')
  const folder = await mkdtemp(join(within, 'tableside-postgres-'))
  const data = join(folder, 'data')
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) await run('chown', ['postgres', folder])
  const execute = (program: string, options: string[]) =>
    isRoot
      ? run('runuser', ['-u', 'postgres', '--', program, ...options], { cwd: folder })
      : run(program, options, { cwd: folder })
  const executeOnData = (program: string, options: string[]) =>
    execute(join(binaries ?? '', program), ['-D', data, ...options])
  if (primary) await executeOnData('pg_basebackup', ['-d', primary.url, '-R', '-X', 'stream', '-c', 'fast'])
  else
    await executeOnData('initdb', ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'])

  const port = await freePort()
  const given: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    ...settings,
  }
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`

  async function addFile(name: string, content: string): Promise<void> {
    const path = join(data, name)
    await writeFile(path, content, { mode: 0o600 })
    if (isRoot) await run('chown', ['postgres', path])
  }

  function control(...options: string[]) {
    const flags = Object.entries(given).map(([name, value]) => `-c '${name}=${value}'`)
    const log = join(folder, 'log')
    return executeOnData('pg_ctl', ['-w', '-l', log, '-o', `-p ${port} ${flags.join(' ')}`, ...options])
  }

  /** All its processes work in its data folder; one may just have begun. */
  const allPids = (): number[] =>
    globSync('/proc/[0-9]*')
      .map((path) => Number(path.slice('/proc/'.length)))
      .filter((pid) => worksIn(pid, data))
  function signal(name: NodeJS.Signals): void {
    for (const pid of allPids())
      try {
        process.kill(pid, name)
      } catch {
        // It has ended in the meantime.
      }
  }

  for (const [name, content] of Object.entries(files)) await addFile(name, content)
  await control('start')
  allowConnections(url)
  return {
    url,
    port,
    addFile,
    start: (more: Record<string, string> = {}) => {
      Object.assign(given, more)
      return control('start')
    },
    restart: (mode: 'fast' | 'immediate') => control('restart', '-m', mode),
    promote: () => control('promote'),
    /** All its processes at once, as if its machine had failed. */
    async kill(): Promise<void> {
      for (signal('SIGKILL'); allPids().length > 0; await setTimeout(10)) signal('SIGKILL')
      // The ended process may be there until somebody asks for its end: PostgreSQL would take it for a running one.
      await rm(join(data, 'postmaster.pid'))
    },
    /** As if nothing reached it any more. */
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async remove(): Promise<void> {
      // One that was killed has nothing to stop.
      await control('stop', '-m', 'immediate').catch(() => {})
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Several hosts in one URL, as `DATABASE_URL` names them. */
export function urlOfAll(servers: readonly { port: number }[], database = 'postgres'): string {
  return `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${database}`
}

/** False for a process that has ended. */
function worksIn(pid: number, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder
  } catch {
    return false
  }
}
