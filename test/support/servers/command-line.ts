import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export const commandLine = join(import.meta.dirname, '../../../src/server/cli/main.ts')

type Check = { name: string; state: string; text: string }

export type Said = { code: unknown; out: string; err: string }

/** `npm run tableside -- …`, with the settings of a server that a test starts. */
export async function tableside(words: string[], env: Record<string, string> = {}): Promise<Said> {
  const child = spawn(process.execPath, [commandLine, ...words], {
    env: { ...process.env, PUBLIC_URL: '', REDIS_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, out, err }
}

/** What `tableside doctor` says. */
export async function examine(env: Record<string, string>) {
  const { code, out, err } = await tableside(['doctor', '--json'], env)
  const checks: Check[] = JSON.parse(out).checks
  const find = (name: string, state: string) =>
    checks.find((check) => check.name === name && check.state === state)?.text
  const problems = checks.filter(({ state }) => state === 'problem')
  return { code, out, err, checks, problems, find }
}
