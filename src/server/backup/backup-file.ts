import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { BackupError } from './errors.ts'

/** An SQLite file, what `pg_dump` writes, or our own form of PostgreSQL's tables. */
export type BackupKind = 'sqlite' | 'pg_dump' | 'logical'

export const extensions: Record<BackupKind, string> = {
  sqlite: '.db',
  pg_dump: '.dump',
  logical: '.jsonl.gz',
}

const beginnings: [BackupKind, Buffer][] = [
  ['sqlite', Buffer.from('SQLite format 3\0')],
  ['pg_dump', Buffer.from('PGDMP')],
  ['logical', Buffer.from([0x1f, 0x8b])],
]

/** `tableside-20261123T160700Z.db`: in the order of their names they are in the order of time. */
export const nameBackup = (kind: BackupKind, at: number): string =>
  `tableside-${new Date(at).toISOString().replaceAll(/[-:]|\.\d+/gu, '')}${extensions[kind]}`

/** When a backup with such a name was made; null for any other file. */
export function timeOfBackup(name: string): number | null {
  const parts = /^tableside-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.(?:db|dump|jsonl\.gz)$/u.exec(name)
  if (!parts) return null
  const [, year, month, day, hour, minute, second] = parts
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? null : at
}

/** By its first bytes, whatever it is called. */
export function recognize(path: string): BackupKind {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new BackupError(`There is no file ${path}`)
  const head = Buffer.alloc(16)
  const file = openSync(path, 'r')
  try {
    readSync(file, head, 0, head.length, 0)
  } finally {
    closeSync(file)
  }
  const kind = beginnings.find(([, beginning]) => head.subarray(0, beginning.length).equals(beginning))?.[0]
  if (kind === undefined) throw new BackupError(`${path} is not a backup of Tableside.`)
  return kind
}
