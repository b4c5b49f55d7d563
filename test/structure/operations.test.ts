import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { expect, it } from 'vitest'
import { liveOperations, type Operation, permissions } from '#contract/permissions.ts'

/** What a connection does by itself: `live/handlers.ts` authorizes it. */
const ofConnections: Operation[] = [
  'connection.ping',
  'connection.resume',
  'contexts.setRestaurant',
  'contexts.updateAssignedTables',
  'presence.setListening',
]

type Node = { type: string; [key: string]: unknown }
type Call = { callee: string; given: unknown[] }
type Function = { name: string; calls: Call[] }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const isOperation = (text: unknown): text is Operation =>
  typeof text === 'string' && Object.hasOwn(permissions, text)

const nameOf = (node: unknown): string =>
  isNode(node) && typeof node['name'] === 'string' ? node['name'] : ''

/** The calls in a piece of code: an argument is a text, or else the name of what is given. */
function callsIn(code: unknown): Call[] {
  const calls: Call[] = []
  const constants = new Map<string, unknown>()
  const look = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(look)
    if (!isNode(node)) return
    if (node.type === 'VariableDeclarator' && isNode(node['init']))
      constants.set(nameOf(node['id']), node['init']['value'])
    if (node.type === 'CallExpression' && Array.isArray(node['arguments'])) {
      const given = node['arguments'].map((argument: unknown) =>
        isNode(argument) && argument.type === 'Literal'
          ? argument['value']
          : (constants.get(nameOf(argument)) ?? nameOf(argument)),
      )
      calls.push({ callee: nameOf(node['callee']), given })
    }
    Object.values(node).forEach(look)
  }
  look(code)
  return calls
}

/** The functions at the top of a module. */
function functionsIn(text: string): Function[] {
  return parseSync('module.ts', text).program.body.flatMap((statement): Function[] => {
    const declaration: unknown =
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (!isNode(declaration)) return []
    if (declaration.type === 'FunctionDeclaration')
      return [{ name: nameOf(declaration['id']), calls: callsIn(declaration) }]
    const declared = declaration.type === 'VariableDeclaration' ? declaration['declarations'] : []
    return Array.isArray(declared)
      ? declared.filter(isNode).map((node) => ({ name: nameOf(node['id']), calls: callsIn(node['init']) }))
      : []
  })
}

/** `authorize`, and every function that hands it the operation which it was given. */
function authorizersIn(functions: Function[]): Set<string> {
  const known = new Set(['authorize', 'authorizeInRestaurant'])
  const asks = ({ calls }: Function): boolean =>
    calls.some(({ callee, given }) => known.has(callee) && given.includes('operation'))
  let before = 0
  while (known.size > before) {
    before = known.size
    for (const { name } of functions.filter(asks)) known.add(name)
  }
  return known
}

/** The operations of which no function both has the name and authorizes the caller. */
function withoutFunction(operations: Operation[], functions: Function[]): Operation[] {
  const authorizers = authorizersIn(functions)
  return operations.filter(
    (operation) =>
      !functions.some(
        ({ name, calls }) =>
          operation.endsWith(`.${name}`) &&
          calls.some(({ callee, given }) => authorizers.has(callee) && given.includes(operation)),
      ),
  )
}

const modules = globSync('src/server/core/**/*.ts').filter((file) => !file.endsWith('.test.ts'))

it('every operation is a function of core that has its name and authorizes its caller', () => {
  const functions = modules.flatMap((file) => functionsIn(readFileSync(file, 'utf8')))
  const operations = Object.keys(permissions).filter(isOperation)
  const others = operations.filter((operation) => !ofConnections.includes(operation))
  expect(withoutFunction(others, functions)).toEqual([])
})

it('an operation counts as authorized only by a call that names it, in a function of its name', () => {
  const missing = (text: string) => withoutFunction(['crew.add'], functionsIn(text))
  const helper = `const ask = (actor, operation) => authorizeInRestaurant(actor, operation)\n`
  expect(missing(`export function add(ctx, actor) { authorize(actor, 'crew.add') }`)).toEqual([])
  expect(missing(`${helper}export const add = (ctx, actor) => ask(actor, 'crew.add')`)).toEqual([])
  expect(missing(`export function add(ctx, actor) { authorize(actor, 'crew.change') }`)).toEqual(['crew.add'])
  expect(missing(`export function add(ctx, actor) { recheck(actor, 'crew.add') }`)).toEqual(['crew.add'])
  expect(missing(`export function insert(ctx, actor) { authorize(actor, 'crew.add') }`)).toEqual(['crew.add'])
})

it('every route calls the function that has its name', () => {
  const table = readFileSync('src/server/http/endpoints.ts', 'utf8')
  const rows = table.split(/\n {2}endpoint\(\s*/u).slice(1)
  const otherwise = rows.filter((row) => {
    const name = /^api\.\w+\.(\w+)/u.exec(row)?.[1]
    return name === undefined || !new RegExp(String.raw`[. (]${name}\(ctx, actor`, 'u').test(row)
  })
  expect(rows.length).toBeGreaterThan(100)
  expect(otherwise).toEqual([])
})

it('what connections do by themselves is authorized before it is done', () => {
  const handlers = readFileSync('src/server/live/handlers.ts', 'utf8')
  expect(handlers).toMatch(
    /authorize\(context\.from\.actor, liveOperations\[message\.type\]\)\s+return handle\(/u,
  )
  const live = Object.values<Operation>(liveOperations)
  expect(ofConnections.filter((operation) => !live.includes(operation))).toEqual([])
})
