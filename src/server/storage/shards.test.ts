import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { namedIn } from '../../../test/support/pages/scale-page.ts'
import { openDatabase } from './engine/database.ts'

type Index = { name: string; columns: string[]; isUnique: boolean; isKey: boolean }
type ForeignKey = { to: string; columns: string[] }
type Table = { name: string; key: string[]; indexes: Index[]; foreignKeys: ForeignKey[] }

let folder: string
let file: DatabaseSync
let tables: Table[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tableside-shards-'))
  const path = join(folder, 'tableside.db')
  await (await openDatabase(`file:${path}`)).close()
  file = new DatabaseSync(path, { readOnly: true })
  tables = rows(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
    .map(({ name }) => String(name))
    .map(describeTable)
})
afterAll(async () => {
  file.close()
  await rm(folder, { recursive: true })
})

const rows = (sql: string): Record<string, unknown>[] => file.prepare(sql).all()

function describeTable(name: string): Table {
  const indexes = rows(`select name, "unique", origin from pragma_index_list('${name}')`).map((index) => ({
    name: String(index['name']),
    columns: rows(`select name from pragma_index_info('${String(index['name'])}') order by seqno`).map(
      (each) => String(each['name']),
    ),
    isUnique: index['unique'] === 1,
    isKey: index['origin'] === 'pk',
  }))
  const parts = rows(`select id, "table", "from" from pragma_foreign_key_list('${name}') order by id, seq`)
  return {
    name,
    key: indexes.find(({ isKey }) => isKey)?.columns ?? [],
    indexes,
    foreignKeys: [...Map.groupBy(parts, ({ id }) => id).values()].map((columns) => ({
      to: String(columns[0]?.['table']),
      columns: columns.map((column) => String(column['from'])),
    })),
  }
}

describe('one restaurant is one shard', () => {
  const page = readFileSync('docs/scale.md', 'utf8')
  const elsewhere = namedIn(page, 'Tables that belong to no restaurant').map(([table = '']) => table)
  const unique = namedIn(page, 'Unique beyond the restaurant').map((names) => names.join('.'))
  const waysIn = namedIn(page, 'Ways in that name no restaurant').map(([index = '']) => index)
  /** The tables of a restaurant's own data. `restaurant` is one itself, by its id. */
  const own = () => tables.filter(({ name }) => !elsewhere.includes(name) && name !== 'restaurant')

  it('every table of its own data has it first in its key, and all others are named with a reason', () => {
    expect(
      own()
        .filter(({ key }) => key[0] !== 'restaurant_id')
        .map(({ name }) => name),
    ).toEqual([])
    expect(tables.find(({ name }) => name === 'restaurant')?.key).toEqual(['id'])
    expect(own().length).toBeGreaterThan(30)
    const all = tables.map(({ name }) => name)
    expect(elsewhere.filter((name) => !all.includes(name))).toEqual([])
  })

  it('every table of its own data refers to others of them by it', () => {
    const ownNames = own().map(({ name }) => name)
    const wrong = own().flatMap(({ name, foreignKeys }) =>
      foreignKeys
        .filter(
          ({ to, columns }) =>
            (ownNames.includes(to) || to === 'restaurant') && columns[0] !== 'restaurant_id',
        )
        .map(({ to }) => `${name} → ${to}`),
    )
    expect(wrong).toEqual([])
  })

  it('what is unique in it is unique for it, but for what the page names', () => {
    const found = own().flatMap(({ name, indexes }) =>
      indexes
        .filter(({ isUnique, columns }) => isUnique && !columns.includes('restaurant_id'))
        .map(({ columns }) => `${name}.${columns.join(' ')}`),
    )
    expect(found.toSorted()).toEqual(unique.toSorted())
  })

  it('other indexes of its own data begin with it, but for those that the page names', () => {
    const found = own().flatMap(({ indexes }) =>
      indexes
        .filter(({ isUnique, columns }) => !isUnique && columns[0] !== 'restaurant_id')
        .map(({ name }) => name),
    )
    expect(found.toSorted()).toEqual(waysIn.toSorted())
  })
})
