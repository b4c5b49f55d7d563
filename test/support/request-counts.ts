import { StatementSync } from 'node:sqlite'

/** Loaded into a server with `--import`: tells its parent process what the server has used so far. */
export type ServerCounts = { statements: number; commits: number; cpuMs: number }

let statements = 0
let commits = 0
for (const method of ['all', 'get', 'iterate', 'run'] as const) {
  const original = StatementSync.prototype[method]
  StatementSync.prototype[method] = function (this: StatementSync, ...parameters: unknown[]) {
    statements++
    if (this.sourceSQL === 'commit') commits++
    return Reflect.apply(original, this, parameters)
  }
}
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const counts: ServerCounts = { statements, commits, cpuMs: (user + system) / 1000 }
  process.send?.(counts)
})
