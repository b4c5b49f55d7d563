import { resolve } from 'node:path'
import { type BackupKind, recognize } from '../backup/backup-file.ts'
import { makeBackup, prepareFolder } from '../backup/make-backup.ts'
import { restoreBackup } from '../backup/restore.ts'
import { type Verification, verifyBackup } from '../backup/verify.ts'
import { childEnvironment, readConfig } from '../config.ts'
import { describeBytes } from './check-host.ts'
import { requireDatabaseFile } from './operator.ts'
import { type Outcome, plural } from './output.ts'
import { createProgress } from './progress.ts'

const findTools = () => ({ env: childEnvironment() })

const kinds: Record<BackupKind, string> = {
  sqlite: 'SQLite',
  pg_dump: 'PostgreSQL, by pg_dump',
  logical: 'PostgreSQL, table by table',
}

export async function backUp(named?: string): Promise<Outcome> {
  endOnSignals()
  const config = readConfig()
  requireDatabaseFile(config.databaseUrl)
  const target = named ?? (config.backup ? prepareFolder(config.backup.folder) : '.')
  await using progress = createProgress('Backing up')
  const made = await makeBackup(config, target, {
    now: Date.now(),
    tools: findTools(),
    onProgress: progress.report,
  })
  return {
    text: `${made.file}: ${describeBytes(made.bytes)} (${kinds[made.kind]}), readable only by this user. It holds everything in the database, passwords' hashes and keys included: keep it like them.`,
    json: made,
  }
}

export async function verify(file: string): Promise<Outcome> {
  endOnSignals()
  await using progress = createProgress('Verifying')
  const found = await verifyBackup(resolve(file), findTools(), progress.report)
  return { text: describe(resolve(file), found), json: found, failed: found.differenceCount > 0 }
}

function describe(file: string, found: Verification): string {
  const { kind, hasChecksum, restaurants, requests, events, differences, differenceCount } = found
  const counts = [
    plural(restaurants, 'restaurant'),
    plural(requests, 'request'),
    plural(events, 'event'),
  ].join(', ')
  const checksum = hasChecksum ? '' : '\nAnother program wrote it, without a checksum.'
  if (differenceCount === 0)
    return `${file} is whole (${kinds[kind]}): ${counts}. Every figure is the one that its events give.${checksum}`
  const rest = differenceCount - differences.length
  return [
    `${file} can be read (${kinds[kind]}): ${counts}.${checksum}`,
    differenceCount === 1
      ? 'But one figure is not the one that its events give:'
      : `But ${differenceCount} figures are not those that its events give:`,
    ...differences.map((difference) => `  ${difference}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ].join('\n')
}

export async function restore(file: string): Promise<Outcome> {
  endOnSignals()
  const config = readConfig()
  await using progress = createProgress('Restoring')
  await restoreBackup(resolve(file), config, findTools(), progress.report)
  return {
    text: `Restored ${resolve(file)}. Please start the server. Logins and passwords are those of the time of the backup.`,
    json: { restored: resolve(file), kind: recognize(resolve(file)) },
  }
}

/** So that what is unfinished is removed. */
function endOnSignals(): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code))
}
