import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cpuTimeMs } from '../../bench/load/machine.ts'

/** All files of a measurement are in it, and what it starts knows its name. */
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-stops-'))
  // PostgreSQL may run as another user.
  chmodSync(folder, 0o711)
})

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map((pid) => ({ pid: Number(pid), command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ') }))
    .filter(({ pid, command }) => command !== '' && (command + read(`/proc/${pid}/environ`)).includes(folder))

const running = () => processes().map(({ command }) => command)
const serverPid = () => processes().find(({ command }) => command.includes('socket-io-server'))?.pid ?? 0

function measure(): ChildProcess {
  return spawn(
    process.execPath,
    ['bench/run.ts', '--quick', '--parts', 'load', '--systems', 'socket.io,socket.io-postgresql'],
    { env: { ...process.env, TMPDIR: folder, BENCH_DATABASE_URL: '' }, stdio: ['ignore', 'pipe', 'ignore'] },
  )
}

/** Once the load has begun. */
async function underLoad(): Promise<void> {
  await expect.poll(() => cpuTimeMs(serverPid())).toBeGreaterThan(1_000)
}

afterEach(() => {
  for (const { pid } of processes()) process.kill(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

describe.runIf(process.platform === 'linux')('what a measurement has started', () => {
  it('is stopped when a part has failed, and the page says so', async () => {
    const bench = measure()
    const page = bench.stdout ? text(bench.stdout) : ''
    await underLoad()
    process.kill(serverPid(), 'SIGKILL')
    const [status] = await once(bench, 'exit')
    expect(status).toBe(1)
    expect(await page).toContain('Not measured: load, round 1 of 1, socket.io: ')
    await expect.poll(running).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  it('is stopped when somebody ends it', async () => {
    const bench = measure()
    await underLoad()
    bench.kill('SIGTERM')
    await once(bench, 'exit')
    await expect.poll(running).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  it('ends when it is killed', async () => {
    const bench = measure()
    await underLoad()
    bench.kill('SIGKILL')
    await once(bench, 'exit')
    await expect.poll(running).toEqual([])
  })
})
