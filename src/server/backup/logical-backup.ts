import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import * as v from 'valibot'
import { BackupError } from './errors.ts'
import { splitLines } from './lines.ts'
import type { Batch, Contents, Row } from './rows.ts'

/**
 * One JSON value per line, compressed: a heading with the migrations that had run; for each part of a table a line that
 * names it and its columns, then its rows; and at the end how many rows there were.
 */
const Heading = v.object({
  tableside: v.literal('backup'),
  format: v.literal(1),
  createdAt: v.string(),
  migrations: v.array(v.string()),
})
const TableLine = v.object({ table: v.string(), columns: v.array(v.string()) })
const EndLine = v.object({ end: v.literal(true), rows: v.number() })
const RowLine = v.array(v.union([v.string(), v.number(), v.null()]))

export async function writeLogicalBackup(
  path: string,
  heading: { createdAt: string; migrations: string[] },
  batches: AsyncIterable<Batch>,
  signal: AbortSignal,
): Promise<void> {
  async function* lines(): AsyncGenerator<string> {
    let count = 0
    yield toLine({ tableside: 'backup', format: 1, ...heading })
    for await (const { table, columns, rows } of batches) {
      count += rows.length
      yield toLine({ table, columns }) + rows.map(toLine).join('')
    }
    yield toLine({ end: true, rows: count })
  }
  await pipeline(lines, createGzip(), createWriteStream(path, { flags: 'r+' }), { signal })
}

const toLine = (value: object | Row): string => `${JSON.stringify(value)}\n`

export async function openLogicalBackup(path: string): Promise<Contents> {
  for await (const line of readLines(path)) {
    const heading = v.safeParse(Heading, line)
    if (!heading.success) break
    return { migrations: heading.output.migrations, batches: () => readBatches(path) }
  }
  throw new BackupError(`${path} is not a backup of Tableside.`)
}

async function* readBatches(path: string): AsyncGenerator<Batch> {
  let open: { table: string; columns: string[]; rows: Row[] } | undefined
  let count = 0
  let isWhole = false
  for await (const line of readLines(path)) {
    if (isWhole) throw damaged(path)
    if (Array.isArray(line)) {
      const row = v.safeParse(RowLine, line)
      if (!open || !row.success || row.output.length !== open.columns.length) throw damaged(path)
      open.rows.push(row.output)
      count++
      continue
    }
    if (open) yield open
    open = undefined
    const table = v.safeParse(TableLine, line)
    if (table.success) open = { ...table.output, rows: [] }
    else if (v.is(EndLine, line)) isWhole = line.rows === count
    else if (!v.is(Heading, line)) throw damaged(path)
  }
  if (!isWhole) throw damaged(path)
}

const damaged = (path: string, cause?: unknown): BackupError =>
  new BackupError(`${path} is damaged or cut short.`, { cause })

async function* readLines(path: string): AsyncGenerator {
  const file = createReadStream(path)
  const text = file.pipe(createGunzip())
  file.once('error', (error) => text.destroy(error))
  try {
    for await (const line of splitLines(text)) yield JSON.parse(line)
  } catch (error) {
    throw error instanceof BackupError ? error : damaged(path, error)
  } finally {
    file.destroy()
  }
}
