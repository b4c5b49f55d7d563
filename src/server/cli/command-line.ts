import { Command, CommanderError } from 'commander'
import { BackupError } from '../backup/errors.ts'
import { ConfigError } from '../config.ts'
import { ControlError } from '../control-socket.ts'
import { Refusal } from '../core/errors.ts'
import { adviseOnDatabase } from '../database-advice.ts'
import {
  DatabaseOpenError,
  isRefusedByPooler,
  isUnusable,
  NewerDatabase,
  PoolerFound,
} from '../storage/engine/errors.ts'
import { DataFolderInUse } from '../storage/engine/sqlite/sqlite.ts'
import { CommandError, exitCodes, type Outcome, printOutcome, printProblem } from './output.ts'

const about =
  "Runs and looks after a Tableside installation. Every command reads the server's settings from the environment, and works whether the server is running or not unless it says otherwise."

const exitCodesHelp = `
Exit codes: 0 done, 1 something is wrong or could not be done, 2 the command was misused.`

/** Runs one command. Resolves with the exit code of the process. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  let code = exitCodes.done
  const program = createProgram((exitCode) => {
    code = exitCode
  })
  try {
    await program.parseAsync([...words], { from: 'user' })
    return code
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? exitCodes.done : exitCodes.misused
  }
}

function createProgram(finish: (code: number) => void): Command {
  const program = new Command('tableside')
    .description(about)
    .exitOverride()
    .showHelpAfterError('Add --help to read what it takes.')
    .addHelpText('after', exitCodesHelp)

  /** Each command is loaded when it is asked for. */
  const add = (
    usage: string,
    description: string,
    run: (words: string[], options: Record<string, unknown>) => Promise<Outcome>,
  ): Command =>
    program
      .command(usage)
      .summary(description.split('.', 1)[0] ?? '')
      .description(description)
      .option('--json', 'print one JSON document instead of sentences')
      .action(async (...parameters: unknown[]) => {
        // The parameters of the command, its options, and the command itself.
        const command = parameters.at(-1)
        if (!(command instanceof Command)) return
        const options: Record<string, unknown> = command.opts()
        finish(await carryOut(() => run(command.args, options), options['json'] === true))
      })

  program
    .command('start')
    .description('Start the server, as `npm start` does. What it logs is JSON in any case, one line each.')
    .option('--json', 'say where it runs, or why it does not, as a line of JSON too')
    .action(async ({ json }: { json?: boolean }) => {
      const asJson = json === true
      const run = async () => (await import('./start-server.ts')).startServer({ asJson })
      finish(await carryOut(run, asJson))
    })
  add('doctor', 'Say what is wrong with this installation, and what to do about it.', async () =>
    (await import('./doctor.ts')).examine(),
  )
  add(
    'backup [file]',
    'Write everything that the database holds into a new file, while the server goes on. Takes a file, or a folder in which the file is named after the time; without either, BACKUP_DIR or else the current folder.',
    async ([target]) => (await import('./backups.ts')).backUp(target),
  )
  add(
    'restore <file>',
    'Put a backup into the database of the settings, which must not exist yet, or be empty. The server must not run.',
    async ([file = '']) => (await import('./backups.ts')).restore(file),
  )
  add(
    'verify <file>',
    'Say whether a backup is whole, and whether every figure of its requests is the one that their events give. Needs no database.',
    async ([file = '']) => (await import('./backups.ts')).verify(file),
  )
  add(
    'reset-password <restaurant-or-email...>',
    'Print a one-time link with which an owner sets a new password. Takes the name of the restaurant, or the e-mail address of its owner.',
    async (words) => (await import('./reset-password.ts')).resetPassword(words.join(' ').trim()),
  )
  add(
    'export <restaurant...>',
    'Write everything about a restaurant into a ZIP archive of documented files, while the server goes on.',
    async (words, { to }) =>
      (await import('./export.ts')).exportOne(
        words.join(' ').trim(),
        typeof to === 'string' ? to : undefined,
      ),
  ).option('--to <file>', 'the archive; else it is named after the restaurant and the time')
  add(
    'erase <restaurant...>',
    'Erase a restaurant and everything of it for good, at once, and say what is out of reach.',
    async (words, { yes }) =>
      (await import('./erase.ts')).erase(words.join(' ').trim(), { isSure: yes === true }),
  ).option('--yes', 'do not ask')
  add('migrate', 'Bring the database up to this version, as every start does.', async (_, { plan }) => {
    const { migrate, planMigrations } = await import('./migrate.ts')
    return plan === true ? planMigrations() : migrate()
  }).option('--plan', 'only say what would be done')
  add(
    'billing-bootstrap',
    'Create the two prices and the webhook at Stripe, once. Takes STRIPE_SECRET_KEY, and PUBLIC_URL for the webhook, whose secret is shown only when it is made.',
    async () => (await import('./billing-bootstrap.ts')).bootstrapBilling(),
  )
  return program
}

async function carryOut(run: () => Promise<Outcome | void>, asJson = false): Promise<number> {
  try {
    const outcome = await run()
    return outcome ? printOutcome(outcome, asJson) : exitCodes.done
  } catch (error) {
    printProblem(describeError(error), asJson)
    return error instanceof CommandError && error.misused ? exitCodes.misused : exitCodes.failed
  }
}

function describeError(error: unknown): string {
  if (error instanceof ConfigError) return `Please correct these settings:\n${error.message}`
  if (error instanceof DataFolderInUse)
    return `${error.message}\nIt does not answer here. Please stop it, and run this again.`
  if (error instanceof PoolerFound) return `${error.message}\n${adviseOnDatabase(error)}`
  if (isRefusedByPooler(error)) return describeError(new PoolerFound())
  const isInWords =
    error instanceof CommandError ||
    error instanceof ControlError ||
    error instanceof Refusal ||
    error instanceof BackupError ||
    error instanceof DatabaseOpenError ||
    error instanceof NewerDatabase
  if (isInWords) return error.message
  if (error instanceof Error && isUnusable(error)) return `The database cannot be used: ${error.message}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
