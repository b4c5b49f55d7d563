import { ConfigError, readConfig } from '../config.ts'
import { checkDatabase } from './check-database.ts'
import { checkHost } from './check-host.ts'
import { checkNetwork } from './check-network.ts'
import { checkSettings } from './check-settings.ts'
import { type Check, type CheckState, problem } from './check.ts'
import { type Outcome, plural } from './output.ts'
import { createProgress } from './progress.ts'

const order: readonly CheckState[] = ['ok', 'note', 'warning', 'problem']

/** Looks at everything that an installation needs, and changes nothing. */
export async function examine(): Promise<Outcome> {
  const checks = await runChecks()
  const count = (state: CheckState) => checks.filter((check) => check.state === state).length
  const [problems, warnings] = [count('problem'), count('warning')]
  const verdict =
    problems + warnings === 0
      ? 'Everything is in order.'
      : `${plural(problems, 'problem')}, ${plural(warnings, 'warning')}.`
  const width = Math.max(...checks.map(({ name }) => name.length))
  // What matters most stands last, above the verdict.
  const lines = order
    .flatMap((state) => checks.filter((check) => check.state === state))
    .map(({ name, state, text }) => `${state.padEnd(7)}  ${name.padEnd(width)}  ${text}`)
  return { text: [...lines, '', verdict].join('\n'), json: { checks }, failed: problems > 0 }
}

async function runChecks(): Promise<Check[]> {
  await using _ = createProgress('Looking')
  try {
    const config = readConfig()
    const host = await checkHost(config)
    return [
      ...checkSettings(config),
      ...host,
      ...(await checkDatabase(config)),
      ...(await checkNetwork(config)),
    ]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n').map((line) => problem('settings', line))
  }
}
