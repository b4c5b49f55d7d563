import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { expect, it } from 'vitest'

type Node = { type: string; start: number; end: number; [key: string]: unknown }
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

/** `warn not …`: what the calls of a log in this file say, and how loudly. */
function messagesIn(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  const textOf = ({ start, end }: Node): string => source.slice(start, end)
  const found: string[] = []
  const look = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(look)
    if (!isNode(node)) return
    const { type, callee, arguments: given } = node
    const call =
      type === 'CallExpression' && isNode(callee)
        ? /\blog(?:ger)?\.(info|warn|error)$/u.exec(textOf(callee))
        : null
    if (call && Array.isArray(given) && isNode(given[1]))
      found.push(`${call[1]} ${messageOf(textOf(given[1]))}`)
    Object.values(node).forEach(look)
  }
  look(parseSync(file, source).program.body)
  return found
}

/** A text in quotes, with … for what differs; a variable by its name. */
const messageOf = (expression: string): string =>
  /^['"`]/u.test(expression) ? expression.slice(1, -1).replaceAll(/\$\{[^}]*\}/gu, '…') : `{${expression}}`

const files = globSync('src/server/**/*.ts', { exclude: ['**/*.test.ts'] })

/** All of the security log are written by one line. */
function securityEvents(): string[] {
  const source = readFileSync('src/server/core/audit/security-log.ts', 'utf8')
  const [, union = ''] = /export type SecurityEvent =((?:\s*\| '[\w-]+')+)/u.exec(source) ?? []
  return [...union.matchAll(/'([\w-]+)'/gu)].map(([, event]) => `info ${event}`)
}

it('docs/logs.md describes every line that the server logs, and no other', () => {
  const logged = files.flatMap(messagesIn)
  expect(logged.length).toBeGreaterThan(30)
  const written = logged.flatMap((line) => (line === 'info {event}' ? securityEvents() : line))
  const page = readFileSync('docs/logs.md', 'utf8')
  const described = [...page.matchAll(/^\| `(info|warn|error)` \| `([^`]+)` \| (\S.*) \|$/gmu)]
  expect(described.map(([, level, message]) => `${level} ${message}`).toSorted()).toEqual(
    [...new Set(written)].toSorted(),
  )
})

it('everything is logged by the calls that are looked for in the sources', () => {
  const methods = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\.(?:info|warn|error)\(/gu)].map(() => file),
  )
  const console = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bconsole\.(?:info|warn|error)\(/gu)].map(() => file),
  )
  expect(methods.length - console.length).toBe(files.flatMap(messagesIn).length)
  expect(new Set(console)).toEqual(new Set(['src/server/start.ts']))
})
