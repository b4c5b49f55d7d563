import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { dayMs, hourMs, minuteMs } from '#contract/durations.ts'
import type { Ctx } from '../core/ctx.ts'
import * as settings from '../storage/settings.ts'
import { timeOfBackup } from './backup-file.ts'
import { type MadeBackup, prepareFolder } from './make-backup.ts'

export type BackupSchedule = { folder: string; everyMs: number; keep: number }

/** Only one node backs up at a time. One that has not renewed its lease for this long has died. */
const leaseMs = 10 * minuteMs
const renewalIntervalMs = minuteMs
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
  /** When the first one was begun that is still missing. */
  since: v.optional(v.number()),
  /** When the node that runs it last said so; 0 if it has given it up. */
  renewedAt: v.optional(v.number()),
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
  const since = Math.min(known?.since ?? known?.startedAt ?? startedAt, startedAt)
  const running = { state: 'running', startedAt, lastAt, since, renewedAt: startedAt } satisfies Progress
  const store = await takeLease(ctx, before, running)
  if (!store) return
  let folder: string
  let made: MadeBackup
  try {
    folder = prepareFolder(schedule.folder)
    using lease = keepLease(ctx, (renewedAt) => store({ ...running, renewedAt }))
    const signal = AbortSignal.any([ctx.stopping, lease.lost])
    made = await make(folder, { now: startedAt, signal })
  } catch (error) {
    if (ctx.stopping.aborted) {
      // Whoever goes on begins at once.
      await store({ ...running, renewedAt: 0 })
      ctx.log.info({}, 'a backup was given up, because the server stops')
      return
    }
    await store({ state: 'failed', startedAt, lastAt, since })
    ctx.log.error({ error }, 'the backup failed, will retry')
    return
  }
  const isOurs = await store({ state: 'done', startedAt, lastAt: startedAt })
  const { file, bytes } = made
  if (isOurs) ctx.log.info({ file, bytes }, 'backed up')
  else ctx.log.warn({ file, bytes }, 'a backup is whole, but another server has begun one meanwhile')
  try {
    removeSurplus(folder, schedule.keep, startedAt)
  } catch (error) {
    ctx.log.warn({ error }, 'older backups could not be removed')
  }
}

/** Stores what comes next, one after the other. False once another node has taken over. */
type Store = (next: Progress) => Promise<boolean>

async function takeLease(ctx: BackupCtx, before: string, running: Progress): Promise<Store | null> {
  const replace = (before: readonly string[], after: string): Promise<boolean> =>
    ctx.db.transact((db) => settings.replace(db, backupSetting, { before, after }))
  await ctx.db.transact((db) => settings.putIfAbsent(db, backupSetting, before))
  const taken = JSON.stringify(running)
  let last = replace([before], taken)
  if (!(await last)) return null
  /** What may be stored while the lease is ours: if the answer to a change is lost, that or what was before. */
  let ours = [taken]
  const change = async (next: Progress): Promise<boolean> => {
    const after = JSON.stringify(next)
    ours = [...ours, after]
    const isOurs = await replace(ours, after)
    if (isOurs) ours = [after]
    return isOurs
  }
  return (next) => (last = last.catch(() => {}).then(() => change(next)))
}

/** `lost`: this node was away for so long that another one has begun. */
function keepLease(
  { now }: BackupCtx,
  renew: (at: number) => Promise<boolean>,
): Disposable & { lost: AbortSignal } {
  const loss = new AbortController()
  const timer = setInterval(() => {
    renew(now()).then(
      (isOurs) => isOurs || loss.abort(new Error('Another server has taken the backup over')),
      // The database cannot be reached: a later renewal may be in time.
      () => {},
    )
  }, renewalIntervalMs)
  return { lost: loss.signal, [Symbol.dispose]: () => clearInterval(timer) }
}

/** What began in the future was begun by a clock that was wrong. */
function isDue(known: Progress, schedule: BackupSchedule, now: number): boolean {
  const { state, startedAt, renewedAt = startedAt } = known
  const from = state === 'running' ? renewedAt : startedAt
  return from > now + clockToleranceMs || now >= from + pauseAfter(known, schedule)
}

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

/** Overdue: twice the time between two has passed without a new one, or there is none because it failed. */
export function describeBackup(
  stored: string | undefined,
  { everyMs }: BackupSchedule,
  now: number,
): BackupStatus {
  const progress = parseProgress(stored ?? '{}')
  if (!progress) return { lastAt: null, overdue: false }
  const { state, lastAt, startedAt, since = startedAt } = progress
  const hasFailedAtFirst = lastAt === null && state === 'failed'
  return { lastAt, overdue: hasFailedAtFirst || now - (lastAt ?? since) > 2 * everyMs }
}
