import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { nameKey } from '#contract/primitives.ts'
import { timeOfBackup } from '../backup/backup-file.ts'
import { type Config, readConfig } from '../config.ts'
import { askServer, controlPath } from '../control-socket.ts'
import { type Erasure, eraseAlone } from '../core/accounts/restaurants/erasure.ts'
import { shortAddress } from '../core/accounts/restaurants/remains.ts'
import { createBus } from '../create-ctx.ts'
import { createStripe } from '../create-payments.ts'
import * as restaurants from '../storage/accounts/restaurants.ts'
import { isPostgres } from '../storage/engine/database.ts'
import { openForOperator, silentLog, silentMetrics } from './operator.ts'
import { CommandError, type Outcome, plural } from './output.ts'
import { createProgress } from './progress.ts'

type Erased = Extract<Erasure, { kind: 'erased' }>

export async function erase(name: string, { isSure }: { isSure: boolean }): Promise<Outcome> {
  const config = readConfig()
  if (!isSure) await confirm(name)
  const erasure = await eraseNamed(config, name)
  if (erasure.kind === 'unknown') throw new CommandError(`There is no restaurant "${name}"`)
  if (erasure.kind === 'charged')
    throw new CommandError(
      'Its subscription is still charged. Please cancel it first, in the Admin Portal or at the payment provider.',
    )
  const backups = listBackups(config, erasure.createdAt)
  return { text: describe(erasure, backups), json: { ...erasure, kind: undefined, backups } }
}

async function confirm(name: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new CommandError('Nobody is there to be asked. Please add --yes to erase it.', { misused: true })
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const typed = await terminal.question(
      `Everything of ${name} will be gone for good, at once.\nType its name to erase it: `,
    )
    if (nameKey(typed) !== nameKey(name)) throw new CommandError('This is not its name. Nothing was erased.')
  } finally {
    terminal.close()
  }
}

/** A running server does it, if there is one that has the database to itself. */
async function eraseNamed(config: Config, name: string): Promise<Erasure> {
  await using _ = createProgress('Erasing')
  const path = controlPath(config.databaseUrl)
  const answer = path === null ? undefined : await askServer(path, 'erase', name)
  if (answer) return answer
  await using operator = await openForOperator(config)
  const id = await restaurants.findIdByName(operator.ctx.db.reader, name)
  if (id === undefined) return { kind: 'unknown' }
  const payments = await createStripe(config, operator.ctx)
  const { erasure, sessionIds } = await eraseAlone({ ...operator.ctx, payments }, id)
  if (isPostgres(config.databaseUrl)) await tellNodes(config, id, sessionIds)
  return erasure
}

async function tellNodes(config: Config, restaurantId: string, sessionIds: string[]): Promise<void> {
  const bus = await createBus(config, silentLog, silentMetrics)
  bus.publish([
    { kind: 'sessions-changed', sessionIds },
    { kind: 'devices-changed', restaurantId },
  ])
  // It answers only after what was published before.
  await bus.ready()
  await bus.close()
}

/** The scheduled backups that still hold what was erased. */
function listBackups({ backup }: Config, createdAt: number): string[] {
  if (backup === null) return []
  try {
    return (
      readdirSync(backup.folder)
        // Names leave out what is less than a second.
        .filter((name) => (timeOfBackup(name) ?? 0) + 1_000 > createdAt)
        .map((name) => join(backup.folder, name))
    )
  } catch {
    return []
  }
}

function describe({ restaurantName, rows, receivers, customerId }: Erased, backups: string[]): string {
  const count = (table: string): number => rows[table] ?? 0
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
  const queued = count('push_delivery') + count('outside_alert') + count('outside_event')
  const beyond = [
    backups.length === 0
      ? 'Backups hold it until you delete them.'
      : `Backups in BACKUP_DIR hold it until they are replaced (${backups.length}, the latest is ${backups.at(-1)}), and so do all others that you have.`,
    ...receivers.map(
      ({ kind, address, lastAt }) =>
        `${kind} ${shortAddress(address)} keeps ${lastAt === null ? 'nothing: it was sent nothing' : `what it was sent until ${new Date(lastAt).toISOString()}`}.`,
    ),
    ...(customerId === null
      ? []
      : [`Its customer ${customerId} and the invoices stay with the payment provider.`]),
    'The logs of the server name it by its id.',
  ]
  return [
    `Erased ${restaurantName}: ${plural(total, 'row')} of ${plural(Object.keys(rows).length, 'table')}, among them ${plural(count('service_request'), 'request')} with ${plural(count('request_event'), 'event')}, ${plural(count('audit_entry'), 'entry', 'entries')} of the audit log, ${plural(count('session'), 'login')} and ${queued} notifications, alarms and webhook events in queues.`,
    'Out of reach:',
    ...beyond.map((line) => `  ${line}`),
  ].join('\n')
}
