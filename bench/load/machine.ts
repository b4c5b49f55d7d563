import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { median, percentile, formatFigure } from './statistics.ts'

const ticksPerSecond = 100

/** Empty if this is not Linux or the process has ended. */
function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** The fields of `stat` that follow the name of the program. */
const processStatus = (pid: number): string[] => readProcess(pid, 'stat').split(') ')[1]?.split(' ') ?? []

/** Whether a process that this one has started is still there. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export const parentOf = (pid: number): number => Number(processStatus(pid)[1])

/**
 * The processor time that a process and its children have used, those that have ended included, in milliseconds; NaN
 * where it is not known.
 */
export function cpuTimeMs(pid: number): number {
  const ticks = processStatus(pid)
    .slice(11, 15)
    .reduce((sum, field) => sum + Number(field), 0)
  if (ticks === 0) return Number.NaN
  const children = readProcess(pid, `task/${pid}/children`).split(' ').filter(Boolean)
  return children
    .map((child) => cpuTimeMs(Number(child)))
    .filter((ms) => !Number.isNaN(ms))
    .reduce((sum, ms) => sum + ms, (ticks * 1000) / ticksPerSecond)
}

/** How long the disk takes to sync, which every commit waits for, in milliseconds. */
function syncTimes(folder: string): number[] {
  const file = openSync(join(folder, 'sync'), 'w')
  const page = Buffer.alloc(4096)
  const times = Array.from({ length: 200 }, () => {
    const start = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - start
  })
  closeSync(file)
  return times
}

export function describeMachine(folder: string): string {
  const syncs = syncTimes(folder)
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${type()} ${release()}`,
    `Node ${process.versions.node}`,
    `disk sync ${formatFigure(median(syncs))} ms (p99 ${formatFigure(percentile(syncs, 0.99))})`,
    `load average at the start ${formatFigure(loadavg()[0] ?? 0)}`,
  ].join(', ')
}
