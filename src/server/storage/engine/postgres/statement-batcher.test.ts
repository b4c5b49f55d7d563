import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type note } from '../../../../../test/support/notes-schema.ts'
import { defineStatement } from '../statement.ts'
import { StatementBatcher } from './statement-batcher.ts'

const findNote = defineStatement<
  { id: string },
  { n: number; body: string },
  { note: ReturnType<typeof note> }
>({
  name: 'test-find-body',
  input: { id: 'text' },
  match: 'n',
  query: (db) =>
    db.selectFrom('input').innerJoin('note', 'note.id', 'input.id').select(['input.n', 'note.body']),
})

it('executes a read once for all callbacks of one turn of the event loop', async () => {
  const executions: number[] = []
  const batcher = new StatementBatcher(
    async (_statement, inputs) => {
      executions.push(inputs.length)
      return inputs.map(({ id }, index) => ({ n: index + 1, body: `body of ${id}` }))
    },
    { inStep: false },
  )
  const answers = await Promise.all(
    ['a', 'b', 'c'].map(async (id) => {
      // Each in a callback of its own, as the messages of several sockets come.
      await setImmediate()
      return batcher.run(findNote, [{ id }])
    }),
  )
  expect(answers.map(([rows]) => rows?.[0]?.['body'])).toEqual(['body of a', 'body of b', 'body of c'])
  expect(executions).toEqual([3])
})

const lockNote = defineStatement<{ id: string }, { id: string }, { note: ReturnType<typeof note> }>({
  name: 'test-lock-note',
  input: { id: 'text' },
  match: ['id'],
  query: (db) =>
    db
      .updateTable('note')
      .from('input')
      .set((e) => ({ body: e.ref('note.body') }))
      .whereRef('note.id', '=', 'input.id')
      .returning('note.id'),
})

const addOrExtendNote = defineStatement<
  { title: string; openId: string | null },
  { title: string },
  { note: { id: string; title: string; body: string } }
>({
  name: 'test-add-or-extend-note',
  input: { title: 'text', openId: 'text' },
  match: ['title'],
  locks: { with: lockNote, row: { id: 'openId' } },
  query: (db) =>
    db
      .insertInto('note')
      .columns(['id', 'title', 'body'])
      .expression((e) => e.selectFrom('input').select(['title as id', 'title', 'title as body']))
      .onConflict((c) => c.column('title').doUpdateSet({ body: '' }))
      .returning('note.title'),
})

it('locks what is there already before it adds rows, each in the order in which all do', async () => {
  const executions: string[] = []
  const batcher = new StatementBatcher(
    async ({ name }, inputs) => {
      executions.push(`${name} ${inputs.map(({ id, title }) => id ?? title).join(' ')}`)
      return inputs.map(({ title = '' }) => ({ title }))
    },
    { inStep: true },
  )
  const tap = (title: string, openId: string | null = null) =>
    batcher.run(addOrExtendNote, [{ title, openId }])
  await Promise.all([tap('D', '1'), tap('A', '3'), tap('C'), tap('B', '2')])
  await Promise.all([tap('B'), tap('A')])
  await tap('A', '1')
  expect(executions).toEqual([
    'test-lock-note 1 2 3',
    'test-add-or-extend-note A B C D',
    'test-add-or-extend-note A B',
    'test-add-or-extend-note A',
  ])
})
