import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { dayMs, hourMs, minuteMs } from '#contract/durations.ts'
import type { Ctx } from '../core/ctx.ts'
import * as settings from '../storage/settings.ts'
import { timeOfBackup } from './backup-file.ts'
import { type MadeBackup, prepareFolder } from './make-backup.ts'

export type BackupSchedule = { folder: string; everyMs: number; keep: number }

/** Only one node backs up at a time. One that has died meanwhile is waited for this long. */
const leaseMs = 3 * hourMs
const retryMs = 10 * minuteMs
/** How far the clocks of two nodes may differ. */
const clockToleranceMs = hourMs

/** Where the installation keeps when it was backed up. */
export const backupSetting = 'backup'

const Progress = v.object({
  state: v.picklist(['running', 'done', 'failed']),
  startedAt: v.number(),
  /** The start of the last one that was finished. */
  lastAt: v.nullable(v.number()),
})
type Progress = v.InferOutput<typeof Progress>

export type BackupStatus = { lastAt: number | null; overdue: boolean }

type BackupCtx = Pick<Ctx, 'db' | 'now' | 'log' | 'stopping'>

type Make = (folder: string, options: { now: number; signal: AbortSignal }) => Promise<MadeBackup>

/** Backs up when it is due, and then removes what is more than enough. Called every minute on every node. */
export async function backUpIfDue(ctx: BackupCtx, schedule: BackupSchedule, make: Make): Promise<void> {
  if (ctx.stopping.aborted) return
  const startedAt = ctx.now()
  const before = (await settings.get(ctx.db.reader, backupSetting)) ?? '{}'
  const known = parseProgress(before)
  if (known && !isDue(known, schedule, startedAt)) return
  const lastAt = known?.lastAt ?? null
  const running = JSON.stringify({ state: 'running', startedAt, lastAt } satisfies Progress)
  const isOurs = await ctx.db.transact(async (db) => {
    await settings.putIfAbsent(db, backupSetting, before)
    return settings.replace(db, backupSetting, { before, after: running })
  })
  if (!isOurs) return
  const leave = (after: string) =>
    ctx.db.transact((db) => settings.replace(db, backupSetting, { before: running, after }))
  const finish = (progress: Progress) => leave(JSON.stringify(progress))
  try {
    const folder = prepareFolder(schedule.folder)
    const { file, bytes } = await make(folder, { now: startedAt, signal: ctx.stopping })
    await finish({ state: 'done', startedAt, lastAt: startedAt })
    ctx.log.info({ file, bytes }, 'backed up')
    removeSurplus(folder, schedule.keep, startedAt)
  } catch (error) {
    if (ctx.stopping.aborted) {
      // As if it had not begun: whoever goes on begins at once.
      await leave(before)
      ctx.log.info({}, 'a backup was given up, because the server stops')
      return
    }
    await finish({ state: 'failed', startedAt, lastAt })
    ctx.log.error({ error }, 'the backup failed, will retry')
  }
}

/** What began in the future was begun by a clock that was wrong. */
const isDue = (known: Progress, schedule: BackupSchedule, now: number): boolean =>
  known.startedAt > now + clockToleranceMs || now >= known.startedAt + pauseAfter(known, schedule)

function pauseAfter({ state }: Progress, { everyMs }: BackupSchedule): number {
  if (state === 'done') return everyMs
  return state === 'failed' ? Math.min(retryMs, everyMs) : leaseMs
}

function parseProgress(text: string): Progress | undefined {
  const progress = v.safeParse(v.pipe(v.string(), v.parseJson(), Progress), text)
  return progress.success ? progress.output : undefined
}

/** Only our own files, by their names. Those from a clock that was ahead stay, and are not counted. */
function removeSurplus(folder: string, keep: number, now: number): void {
  const isFile = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true
  const names = readdirSync(folder).filter(isFile)
  const backups = names.filter((name) => (timeOfBackup(name) ?? Infinity) <= now).toSorted()
  const abandoned = names.filter(
    (name) =>
      /^\.tableside-\S+\.[0-9a-f]{8}\.part(?:-journal)?$/u.test(name) &&
      statSync(join(folder, name)).mtimeMs < now - dayMs,
  )
  for (const name of [...backups.slice(0, -keep), ...abandoned]) rmSync(join(folder, name), { force: true })
}

/** Overdue: twice the time between two has passed, or there is none because it failed. */
export function describeBackup(
  stored: string | undefined,
  { everyMs }: BackupSchedule,
  now: number,
): BackupStatus {
  const progress = parseProgress(stored ?? '{}')
  const lastAt = progress?.lastAt ?? null
  const overdue = lastAt === null ? progress?.state === 'failed' : now - lastAt > 2 * everyMs
  return { lastAt, overdue }
}
