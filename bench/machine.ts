import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { median, percentile, formatFigure } from './statistics.ts'

const ticksPerSecond = 100

/** The processor time that a process has used, in milliseconds; known only on Linux. */
export function cpuTimeMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
  } catch {
    return Number.NaN
  }
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
