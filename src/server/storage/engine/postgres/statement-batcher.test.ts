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
