import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Change } from './disk.ts'

/** What a server did to the folder of its database, and what it told whom meanwhile, in the order of time. */
export type Step =
  | Change
  /** Requests that an answer or a message named, and those that it called completed. */
  | { kind: 'told'; requests: string[]; completed: string[] }

const traced = ['pwrite64', 'ftruncate', 'fsync', 'fdatasync', 'openat', 'unlink', 'write', 'writev']

const allThreads = ['-ff', '-ttt', '-T', '-y', '-xx', '-s', '10000000', '-e', 'signal=none']

/** For `strace`: a file for each thread, the times and durations of calls, paths, and every text whole. */
export const traceOptions = (prefix: string): string[] => [
  ...allThreads,
  '-e',
  `trace=${traced.join()}`,
  '-o',
  prefix,
]

type Call = { at: number; seconds: number; name: string; input: string; result: number }

/** `asked`: the ids that count as told when an answer or a message names them. */
export function readTrace(prefix: string, database: string, asked: ReadonlySet<string>): Step[] {
  const calls = readdirSync(dirname(prefix))
    .filter((file) => file.startsWith(`${basename(prefix)}.`))
    .flatMap((file) => readFileSync(join(dirname(prefix), file), 'latin1').split('\n'))
    .flatMap((line) => parseCall(line) ?? [])
    .flatMap((call) => {
      const step = toStep(call, database, asked)
      // A sync holds once it has ended, anything else from its beginning.
      return step ? [{ at: step.kind === 'sync' ? call.at + call.seconds : call.at, step }] : []
    })
  return calls.toSorted((one, other) => one.at - other.at).map(({ step }) => step)
}

function parseCall(line: string): Call | undefined {
  const { at, name, input, result, seconds } =
    /^(?<at>[\d.]+) (?<name>\w+)\((?<input>.*)\) += (?<result>\d+)(?:<.*>)? <(?<seconds>[\d.]+)>$/u.exec(line)
      ?.groups ?? {}
  if (name === undefined || input === undefined) return undefined
  return { at: Number(at), seconds: Number(seconds), name, input, result: Number(result) }
}

function toStep(
  { name, input, result }: Call,
  database: string,
  asked: ReadonlySet<string>,
): Step | undefined {
  if (name === 'openat' || name === 'unlink') {
    const file = textsIn(input)[0]?.toString() ?? ''
    if (!isOf(database, file)) return undefined
    if (name === 'unlink') return { kind: 'remove', file }
    return input.includes('O_CREAT') ? { kind: 'create', file } : undefined
  }
  const file = unescape(/^\d+<(?<path>.*?)>/u.exec(input)?.groups?.['path'] ?? '').toString()
  if (name === 'write' || name === 'writev')
    return /^(?:socket|TCP)/u.test(file) ? toTold(input, asked) : undefined
  if (file === dirname(database)) return { kind: 'sync-folder' }
  if (!isOf(database, file)) return undefined
  if (name !== 'pwrite64' && name !== 'ftruncate') return { kind: 'sync', file }
  const last = Number(/(?<number>\d+)$/u.exec(input)?.groups?.['number'])
  if (name === 'ftruncate') return { kind: 'truncate', file, size: last }
  const data = textsIn(input)[0] ?? Buffer.alloc(0)
  return { kind: 'write', file, offset: last, data: data.subarray(0, result) }
}

/** The shared memory beside a write-ahead log does not outlast a power cut, and the lock holds nothing. */
const isOf = (database: string, file: string): boolean =>
  file === database || file === `${database}-wal` || file === `${database}-journal`

const idPattern = /"id":"(?<id>[0-9a-f-]{36})"/gu
const completedPattern = /"type":"request-completed"[^{}]*?"id":"(?<id>[0-9a-f-]{36})"/gu

function toTold(input: string, asked: ReadonlySet<string>): Step | undefined {
  const said = Buffer.concat(textsIn(input)).toString('latin1')
  const idsOf = (pattern: RegExp) => [...said.matchAll(pattern)].flatMap(({ groups }) => groups?.['id'] ?? [])
  const requests = idsOf(idPattern).filter((id) => asked.has(id))
  return requests.length > 0 ? { kind: 'told', requests, completed: idsOf(completedPattern) } : undefined
}

const textsIn = (input: string): Buffer[] =>
  [...input.matchAll(/"(?<text>(?:\\x[0-9a-f]{2})*)"/gu)].map(({ groups }) =>
    unescape(groups?.['text'] ?? ''),
  )

const unescape = (text: string): Buffer =>
  text.startsWith('\\x') ? Buffer.from(text.replaceAll('\\x', ''), 'hex') : Buffer.from(text)
