import { StatementSync } from 'node:sqlite'

/** Loaded into a server with `--import`: tells its parent process what the server has used so far. */
export type ServerCounts = { statements: number; commits: number; encodedLists: number }

let statements = 0
let commits = 0
let encodedLists = 0
for (const method of ['all', 'get', 'iterate', 'run'] as const) {
  const original = StatementSync.prototype[method]
  StatementSync.prototype[method] = function (this: StatementSync, ...parameters: unknown[]) {
    statements++
    if (this.sourceSQL === 'commit') commits++
    return Reflect.apply(original, this, parameters)
  }
}
const encode = JSON.stringify
Object.assign(JSON, {
  stringify(value: unknown, ...options: unknown[]) {
    const isList = typeof value === 'object' && value !== null && 'type' in value
    if (isList && value.type === 'pending-requests') encodedLists++
    return Reflect.apply(encode, JSON, [value, ...options])
  },
})
process.on('message', () => {
  const counts: ServerCounts = { statements, commits, encodedLists }
  process.send?.(counts)
})
