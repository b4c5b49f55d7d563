import type { SystemUnderTest } from '../systems/system-under-test.ts'
import { cpuTimeMs } from './machine.ts'

export type CpuTimes = { server: number; database: number; load: number }

/** Processor time in milliseconds since the last call. */
export function cpuMeter({
  servers,
  databasePid,
}: Pick<SystemUnderTest, 'servers' | 'databasePid'>): () => CpuTimes {
  const read = (): CpuTimes => {
    const { user, system } = process.cpuUsage()
    return {
      server: servers.reduce((sum, { pid }) => sum + cpuTimeMs(pid), 0),
      database: databasePid === null ? Number.NaN : cpuTimeMs(databasePid),
      load: (user + system) / 1000,
    }
  }
  let before = read()
  return () => {
    const now = read()
    const used = {
      server: now.server - before.server,
      database: now.database - before.database,
      load: now.load - before.load,
    }
    before = now
    return used
  }
}

export const divide = ({ server, database, load }: CpuTimes, by: number): CpuTimes => ({
  server: server / by,
  database: database / by,
  load: load / by,
})
