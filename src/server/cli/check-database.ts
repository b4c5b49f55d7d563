import { createECDH } from 'node:crypto'
import * as v from 'valibot'
import { backupSetting, describeBackup } from '../backup/schedule.ts'
import type { Config } from '../config.ts'
import { adviseOnDatabase } from '../database-advice.ts'
import { DatabaseOpenError, NewerDatabase, PoolerFound } from '../storage/engine/errors.ts'
import {
  askThroughPooler,
  findDamage,
  inspectDatabase,
  type Inspection,
} from '../storage/engine/inspection.ts'
import { planMigrations } from '../storage/engine/migrator.ts'
import { toFilePath } from '../storage/engine/sqlite/sqlite.ts'
import { type Check, note, ok, problem, warning } from './check.ts'

const clockToleranceMs = 2_000

/** Changes nothing, and disturbs no server that has opened it. */
export async function checkDatabase({ databaseUrl, databaseDirectUrl, ...config }: Config): Promise<Check[]> {
  try {
    const inspection = await inspectDatabase(databaseDirectUrl ?? databaseUrl, Date.now)
    if (!inspection)
      return [note('database', `There is none at ${toFilePath(databaseUrl)} yet. The first start creates it`)]
    const damage = databaseUrl.startsWith('file:') ? findDamage(toFilePath(databaseUrl)) : []
    return [
      ...describeHealth(inspection, damage),
      describeMigrations(inspection),
      ...checkKeys(inspection),
      ...checkClock(inspection),
      checkBackup(inspection, config),
      ...(databaseDirectUrl === null ? [] : await checkPooler(databaseUrl)),
    ]
  } catch (error) {
    if (!(error instanceof DatabaseOpenError || error instanceof PoolerFound)) throw error
    const advice = databaseUrl.startsWith('file:')
      ? 'Please correct DATABASE_URL, or restore a backup into another folder'
      : (adviseOnDatabase(error) ?? 'Please correct DATABASE_URL, or start the database')
    return [problem('database', `${error.message}. ${advice}`)]
  }
}

/** PostgreSQL itself answers: what is between it and the server may not. */
async function checkPooler(url: string): Promise<Check[]> {
  try {
    await askThroughPooler(url)
    return [ok('pooler', 'PostgreSQL answers through DATABASE_URL, too')]
  } catch (error) {
    if (!(error instanceof DatabaseOpenError)) throw error
    return [problem('pooler', `${error.message}. Please start the pooler, or correct DATABASE_URL`)]
  }
}

function describeHealth({ engine, writeProblem }: Inspection, damage: readonly string[]): Check[] {
  if (damage.length > 0)
    return [
      problem('database', `It is damaged: ${damage.join('; ')}. Please restore a backup into another folder`),
    ]
  if (writeProblem !== null) return [problem('database', `It takes no writes: ${writeProblem}`)]
  return [ok('database', `${engine} answers and is whole`)]
}

function describeMigrations({ migrations }: Inspection): Check {
  const { done, pending, unknown } = planMigrations(migrations)
  if (unknown.length > 0) return problem('migrations', new NewerDatabase(unknown).message)
  if (pending.length > 0)
    return note('migrations', `${pending.length} of them run at the next start: ${pending.join(', ')}`)
  return ok('migrations', `All ${done.length} have run`)
}

const PushKeys = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ publicKey: v.string(), privateKey: v.string() }),
)

function checkKeys({ settings }: Inspection): Check[] {
  const installationKey = settings.get('installation-key')
  const pushKeys = settings.get('push-keys')
  if (installationKey === undefined && pushKeys === undefined)
    return [note('keys', 'The first start generates the keys of this installation')]
  const missing = [
    ...(installationKey ? [] : ['the key that signs cookies']),
    ...(pushKeys ? [] : ['the keys for pushes']),
  ]
  if (missing.length > 0)
    return [
      warning(
        'keys',
        `The database lacks ${missing.join(' and ')}. The next start generates new ones: phones have to allow alerts again`,
      ),
    ]
  if (!isKeyPair(pushKeys))
    return [
      problem(
        'push',
        'The keys for pushes do not belong together, so no phone rings. Please restore a backup, or delete the row push-keys of the table setting: phones then have to allow alerts again',
      ),
    ]
  return [ok('keys', 'The keys of this installation are there and belong together')]
}

function isKeyPair(text: string | undefined): boolean {
  const keys = v.safeParse(PushKeys, text)
  if (!keys.success) return false
  try {
    const pair = createECDH('prime256v1')
    pair.setPrivateKey(keys.output.privateKey, 'base64url')
    return pair.getPublicKey('base64url') === keys.output.publicKey
  } catch {
    return false
  }
}

function checkClock({ clockAheadMs }: Inspection): Check[] {
  if (clockAheadMs === null) return []
  const seconds = Math.round(Math.abs(clockAheadMs) / 1000)
  if (Math.abs(clockAheadMs) <= clockToleranceMs) return [ok('clock', 'It agrees with that of the database')]
  return [
    problem(
      'clock',
      `It is ${seconds} s ${clockAheadMs > 0 ? 'behind' : 'ahead of'} that of the database. Please set both by NTP`,
    ),
  ]
}

function checkBackup(
  { settings }: Inspection,
  { backup, production }: Pick<Config, 'backup' | 'production'>,
): Check {
  if (backup === null) {
    const text = 'BACKUP_DIR is not set, so nothing is backed up by itself'
    return production ? warning('backup', text) : note('backup', text)
  }
  const { lastAt, overdue } = describeBackup(settings.get(backupSetting), backup, Date.now())
  const last = lastAt === null ? 'There is none yet' : `The last one is of ${new Date(lastAt).toISOString()}`
  return overdue ? problem('backup', `${last}. Please read the server's log`) : ok('backup', last)
}
