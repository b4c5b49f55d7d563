import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { toFilePath } from '../../src/server/storage/engine/sqlite/sqlite.ts'
import { statements } from '../../src/server/storage/engine/statement.ts'
import { setUpApp } from '../support/app.ts'
import { connectScreen } from '../support/pages/crew-view.ts'
import { namedIn } from '../support/pages/scale-page.ts'
import { explain, sqliteDialect } from '../support/postgres/statement-plans.ts'

const page = readFileSync('docs/scale.md', 'utf8')
const elsewhere = namedIn(page, 'Tables that belong to no restaurant').map(([table = '']) => table)

const app = setUpApp()
const engine = process.env['TEST_DATABASE_URL'] ? 'PostgreSQL' : 'SQLite'

/** All statements, whichever file defines them. */
beforeAll(async () => {
  for (const file of globSync('src/server/storage/{*,!(engine|migrations)/*}.ts', {
    exclude: ['**/*.test.ts'],
  }))
    await import(/* @vite-ignore */ `../../${file}`)
})

/** SQLite names the index of a step, and what it looks up in it. `tableOf`: indexes. */
function strayStepsOfSqlite(sql: string, steps: string[], tableOf: Map<string, string>): string[] {
  const aliases = new Map(
    [...sql.matchAll(/"(\w+)" as "(\w+)"/gu)].map(([, table = '', alias = '']) => [alias, table]),
  )
  return steps.filter((step) => {
    const [, subject = '', index, condition = ''] =
      /^(?:SEARCH|SCAN) (\w+)(?: USING (?:COVERING )?INDEX (\w+))?(?: \((.*)\))?/u.exec(step) ?? []
    const table = tableOf.get(index ?? '') ?? aliases.get(subject) ?? subject
    if (elsewhere.includes(table)) return false
    if (table === 'restaurant') return !condition.startsWith('id=?')
    // Rows of the statement itself, and of its subqueries.
    if (!tableNames.has(table)) return false
    return !condition.startsWith('restaurant_id=?')
  })
}
let tableNames = new Set<string>()

/** PostgreSQL names the table of a step, and in the next lines what it looks for. */
function strayStepsOfPostgres(steps: string[]): string[] {
  return steps.filter((step, at) => {
    const [, table = ''] = /Scan.* on (\w+)/u.exec(step) ?? []
    // For the index of a bitmap scan, the step above names the table.
    if (!tableNames.has(table) || elsewhere.includes(table)) return false
    const next = steps.findIndex((each, index) => index > at && each.includes('->'))
    const details = steps.slice(at + 1, next < 0 ? undefined : next).join('\n')
    return !(table === 'restaurant' ? /Cond: .*\bid = /u : /(?:Cond|Filter): .*\brestaurant_id\b/u).test(
      details,
    )
  })
}

beforeAll(async () => {
  tableNames = new Set((await app.ctx.db.reader.introspection.getTables()).map(({ name }) => name))
})

it(`every statement of the hot paths names the restaurant whose rows it finds on ${engine}`, async () => {
  const { db } = app.ctx
  // Whether anything is due is asked for all restaurants at once.
  const product = statements.filter(({ name }) => !name.startsWith('test-') && name !== 'due-work')
  expect(product.length).toBeGreaterThan(20)
  const tableOf = engine === 'SQLite' ? readIndexes() : new Map<string, string>()
  const stray: Record<string, string[]> = {}
  for (const statement of product) {
    const steps = await explain(db, statement)
    const found =
      engine === 'SQLite'
        ? strayStepsOfSqlite(statement.forSqlite(sqliteDialect).sql, steps, tableOf)
        : strayStepsOfPostgres(steps)
    if (found.length > 0) stray[statement.name] = found
  }
  expect(stray).toEqual({})
})

function readIndexes(): Map<string, string> {
  using file = new DatabaseSync(toFilePath(app.ctx.db.url), { readOnly: true })
  const rows = file.prepare(`select name, tbl_name from sqlite_master where type = 'index'`).all()
  return new Map(rows.map((row) => [String(row['name']), String(row['tbl_name'])]))
}

/** What SQLite is asked for from now on. */
function recordStatements() {
  const texts = new Set<string>()
  const methods = ['all', 'get', 'iterate', 'run'] as const
  const originals = methods.map((method) => StatementSync.prototype[method])
  methods.forEach((method, index) => {
    StatementSync.prototype[method] = function (this: StatementSync, ...parameters: unknown[]) {
      texts.add(this.sourceSQL)
      return Reflect.apply(originals[index] ?? this[method], this, parameters)
    }
  })
  return {
    texts,
    stop: () =>
      methods.forEach((method, index) =>
        Object.assign(StatementSync.prototype, { [method]: originals[index] }),
      ),
  }
}

const recording = engine === 'SQLite' ? recordStatements() : null
afterAll(() => recording?.stop())

it.runIf(recording !== null)(
  'nothing that guests and crews do at their tables looks into other restaurants',
  async () => {
    const { name, owner, device } = await app.restaurant({ tables: ['7', '8'] })
    const { id: crewMemberId } = await owner.ok(api.crew.add, { body: { name: 'Maya', role: 'Server' } })
    await app.whenIdle()
    recording?.texts.clear()
    const guest = app.browser()
    await guest.fetch(`/customer?r=${encodeURIComponent(name)}&t=7`)
    const table = { restaurantId: name, tableNumber: '7' }
    await guest.ok(api.requests.mine, { query: table })
    const screen = await connectScreen(device, crewMemberId)
    await screen.request({ type: 'listening', sound: true, push: false, visible: true })
    const body = { id: randomUUID(), ...table, serviceType: 'check' as const }
    const { request } = await guest.ok(api.requests.send, { body })
    await guest.ok(api.requests.send, { body })
    await guest.ok(api.requests.send, { body: { ...body, id: randomUUID() } })
    await screen.request({ type: 'requests-seen', ids: [request.id] })
    for (const type of [
      'accept-request',
      'release-request',
      'accept-request',
      'complete-request',
      'reopen-request',
    ] as const)
      expect((await screen.request({ type, id: request.id })).type).toBe('ack')
    await screen.request({ type: 'get-team-messages' })
    screen.close()
    await connectScreen(device, crewMemberId)
    await app.whenIdle()

    using file = new DatabaseSync(toFilePath(app.ctx.db.url), { readOnly: true })
    const tableOf = readIndexes()
    const asked = [...(recording?.texts ?? [])].filter((sql) =>
      /^(?:with|select|insert|update|delete)\b/iu.test(sql),
    )
    expect(asked.length).toBeGreaterThan(15)
    const stray = asked.flatMap((sql) => {
      const steps = file
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => String(detail))
      return strayStepsOfSqlite(sql, steps, tableOf).map((step) => `${step}: ${sql}`)
    })
    expect(stray).toEqual([])
  },
)
