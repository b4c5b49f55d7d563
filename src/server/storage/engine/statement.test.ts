import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  engines,
  insertNote,
  note,
  noteIds,
  openTestDatabase,
  storedIds,
  temporaryUrl,
  withNotes,
} from '../../../../test/support/notes-schema.ts'
import { defineStatement } from './statement.ts'
import type { Database, Db, Group } from './types.ts'

type Note = ReturnType<typeof note>
type Tables = { note: Note }

const findNote = defineStatement<{ id: string }, Note & { n: number }, Tables>({
  name: 'test-find-note',
  input: { id: 'text' },
  match: 'n',
  query: (db) =>
    db
      .selectFrom('input')
      .innerJoin('note', 'note.id', 'input.id')
      .select(['input.n', 'note.id', 'note.body', 'note.writtenAt']),
})

/** Appends to a note's text, or begins the note. */
const extendNote = defineStatement<Note, Note, Tables>({
  name: 'test-extend-note',
  input: { id: 'text', body: 'text', writtenAt: 'bigint' },
  match: ['id'],
  query: (db) =>
    db
      .insertInto('note')
      .columns(['id', 'body', 'writtenAt'])
      .expression((e) => e.selectFrom('input').select(['id', 'body', 'writtenAt']).where(sql.lit(true)))
      .onConflict((c) =>
        c.column('id').doUpdateSet((e) => ({ body: e('note.body', '||', e.ref('excluded.body')) })),
      )
      .returning(['note.id', 'note.body', 'note.writtenAt']),
})

const insertAsStatement = defineStatement<Note, Pick<Note, 'id'>, Tables>({
  name: 'test-insert-note',
  input: { id: 'text', body: 'text', writtenAt: 'bigint' },
  match: ['id'],
  query: (db) =>
    db
      .insertInto('note')
      .columns(['id', 'body', 'writtenAt'])
      .expression((e) => e.selectFrom('input').select(['id', 'body', 'writtenAt']))
      .returning('id'),
})

const extend = (db: Db, id: string, body: string) =>
  db.run(extendNote, { id, body, writtenAt: 1 }).then(([row]) => row?.body)

describe.each(Object.entries(engines))('a statement on %s', (_name, make) => {
  const open = async (options = {}) => openTestDatabase(await temporaryUrl(make), options)

  it('returns the rows of each input, in the order of the inputs', async () => {
    const database = await open()
    await database.transact((db) => insertNote(db, 'a'))
    await database.transact((db) => insertNote(db, 'b'))
    const inputs = ['b', 'nowhere', 'a', 'b'].map((id) => ({ id }))
    const found = await database.reader.runAll(findNote, inputs)
    expect(found.map((rows) => rows.map(({ id, body }) => [id, body]))).toEqual([
      [['b', 'body of b']],
      [],
      [['a', 'body of a']],
      [['b', 'body of b']],
    ])
    expect(await database.reader.runAll(findNote, [])).toEqual([])
  })

  it('keeps texts as they are, and null', async () => {
    const database = await open()
    const odd = ['', '{}', '"quoted"', 'a,b', 'back\\slash', 'null', 'NULL', 'ünï ☕️', "it's"]
    await database.transact((db) =>
      db.runAll(
        extendNote,
        odd.map((body, index) => ({ id: `note-${index}`, body, writtenAt: index })),
      ),
    )
    const stored = await withNotes(database.reader).selectFrom('note').selectAll().orderBy('id').execute()
    expect(stored.map(({ body, writtenAt }) => [body, writtenAt])).toEqual(odd.map((body, i) => [body, i]))
  })
})

describe.each(Object.entries(engines))('transactions of one group on %s', (_name, make) => {
  const open = async (options = {}) => openTestDatabase(await temporaryUrl(make), options)
  const group = (key: string): { group: Group } => ({ group: { name: 'notes', keys: [key], scope: key } })
  const extendInGroup = (database: Database, key: string, id: string) =>
    database.transact(async (db) => {
      await db.run(findNote, { id })
      return extend(db, id, key)
    }, group(key))

  it('share their COMMITs, and each gets its own answer', async () => {
    const commits: number[] = []
    const database = await open({ onCommit: (count: number) => commits.push(count) })
    const answers = await Promise.all(noteIds(50).map((key) => extendInGroup(database, key, `of ${key}`)))
    expect(answers).toEqual(noteIds(50))
    expect(commits.reduce((sum, count) => sum + count, 0)).toBe(50)
    expect(commits.length).toBeLessThan(5)
  })

  it('change the same row one after another', async () => {
    const database = await open()
    const answers = await Promise.all(['1', '2', '3'].map((key) => extendInGroup(database, key, 'shared')))
    expect(answers.toSorted((a, b) => (a?.length ?? 0) - (b?.length ?? 0)).at(-1)).toHaveLength(3)
    expect(new Set(answers).size).toBe(3)
  })

  it('are left alone by one that refuses, or fails, before or after it wrote', async () => {
    const database = await open()
    const outcomes = await Promise.allSettled(
      noteIds(30).map((key, index) =>
        database.transact(async (db) => {
          await db.run(findNote, { id: key })
          if (index % 5 === 1) throw new Error('refused before writing')
          await extend(db, key, 'x')
          if (index % 5 === 2) throw new Error('refused after writing')
          if (index % 5 === 3) await db.run(insertAsStatement, note(key))
          if (index % 5 === 4) await insertNote(db, key)
        }, group(key)),
      ),
    )
    const expected = noteIds(30).filter((_, index) => index % 5 === 0)
    expect(noteIds(30).filter((_, index) => outcomes[index]?.status === 'fulfilled')).toEqual(expected)
    expect(await storedIds(database.reader)).toEqual(expected)
  })

  it('never hold two with the same key', async () => {
    const database = await open()
    const found = await Promise.all(
      ['a', 'a', 'a', 'b'].map((key) =>
        database.transact(async (db) => {
          const rows = await db.run(findNote, { id: key })
          if (rows.length === 0) await db.run(insertAsStatement, note(key))
          return rows.length
        }, group(key)),
      ),
    )
    expect(found).toEqual([0, 1, 1, 0])
  })

  it('finish together, in one COMMIT with what each of them did', async () => {
    const database = await open()
    const finished: string[][] = []
    await Promise.all(
      noteIds(10).map((id) =>
        database.transact(
          async (db) => {
            await extend(db, id, 'x')
            return id
          },
          {
            ...group(id),
            finish: async (db, ids) => {
              finished.push([...ids])
              await db.runAll(
                insertAsStatement,
                ids.map((own) => note(`end of ${own}`)),
              )
            },
          },
        ),
      ),
    )
    expect(finished.flat().toSorted()).toEqual(noteIds(10))
    expect(await storedIds(database.reader)).toEqual(
      [...noteIds(10), ...noteIds(10).map((id) => `end of ${id}`)].toSorted(),
    )
  })

  it('store nothing when what they write last is refused before it is sent', async () => {
    const database = await open()
    const add = (id: string, last: string) =>
      database.transact(
        async (db) => {
          await extend(db, id, 'x')
          return last
        },
        {
          ...group(id),
          finish: async (db, ids) =>
            void (await Promise.all([
              db.runAll(
                extendNote,
                ids.map((own, index) => ({ ...note(`${own} ${index}`), body: 'y' })),
              ),
              db.runAll(insertAsStatement, ids.map(note)),
            ])),
        },
      )
    const outcomes = await Promise.allSettled([add('a', 'same'), add('b', 'other'), add('c', 'same')])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    const bodies = await withNotes(database.reader).selectFrom('note').select(['id', 'body']).execute()
    expect(bodies.filter(({ id }) => 'abc'.includes(id)).map(({ body }) => body)).toEqual(['x', 'x'])
  })

  it('fail alone when what they write last fails', async () => {
    const database = await open()
    await database.transact((db) => insertNote(db, 'end of note-1002'))
    const outcomes = await Promise.allSettled(
      noteIds(5).map((id) =>
        database.transact(
          async (db) => {
            await extend(db, id, 'x')
            return id
          },
          {
            ...group(id),
            finish: async (db, ids) =>
              void (await db.runAll(
                insertAsStatement,
                ids.map((own) => note(`end of ${own}`)),
              )),
          },
        ),
      ),
    )
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect(await storedIds(database.reader)).not.toContain('note-1002')
  })
})
