import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { allowConnections } from '../network.ts'

const ownRoot = join(import.meta.dirname, '../../..')

export type ServerProcess = {
  url: string
  pid: number
  /** Its output except for the welcome and log lines of level info. */
  lines: readonly string[]
  /** Kills it without any cleanup, and waits until the process is gone. */
  kill(): Promise<void>
  stop(): Promise<void>
  /** Sends the program a message over the IPC channel, and resolves with its answer. */
  sendMessage(message: number | string): Promise<unknown>
}

type Env = Record<string, string>

type ServerOptions = {
  /** The folder of another version. */
  root?: string | undefined
  /** What runs it as its only child and ends with it, such as `strace` with its options. */
  runner?: readonly string[]
}

/** The server as `npm start` runs it, in a separate process and on a free port. */
export function startServer(
  databaseUrl: string,
  env: Env = {},
  nodeOptions: string[] = [],
  { root = ownRoot, runner }: ServerOptions = {},
) {
  const settings = {
    PORT: '0',
    PUBLIC_URL: '',
    REDIS_URL: '',
    DEMO: 'off',
    GUEST_LIMITS: 'off',
    DATABASE_URL: databaseUrl,
  }
  return startProcess([...nodeOptions, join(root, 'src/server/main.ts')], { ...settings, ...env }, runner)
}

/** Any Node program that prints the address that it is `running at`. */
export async function startProcess(
  args: string[],
  env: Env,
  runner: readonly string[] = [],
): Promise<ServerProcess> {
  const [program = '', ...others] = [...runner, process.execPath, ...args]
  const child = spawn(program, others, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  })
  const lines: string[] = []
  const exited = once(child, 'exit')
  const died = (code: number | null, signal: string | null) =>
    lines.push(`ended by itself: ${signal ?? code}`)
  child.once('exit', died)
  const end = async (signal: NodeJS.Signals) => {
    child.off('exit', died)
    if (runner.length === 0) child.kill(signal)
    else sendSignal(pid, signal)
    await exited
  }
  const url = await address(child, lines)
  const pid = runner.length > 0 ? onlyChildOf(child.pid) : (child.pid ?? 0)
  allowConnections(url)
  return {
    url,
    pid,
    lines,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    async sendMessage(message) {
      const answered = once(child, 'message')
      child.send(message)
      const [answer] = await answered
      return answer
    },
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It has ended by itself, its runner not yet.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** As Linux says it. */
const onlyChildOf = (pid = 0): number => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))

function address(child: ChildProcess, lines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      createInterface(stream).on('line', (line) => {
        const url = / is running at (\S+)$/u.exec(line)?.[1]
        if (url !== undefined) resolve(url)
        else if (line !== '' && !line.includes('"level":"info"')) lines.push(line)
      })
    }
    child.once('error', reject)
    // Comes after 'exit', when all output has been read.
    child.once('close', () => reject(new Error(`the server did not start: ${lines.join('\n')}`)))
  })
}
