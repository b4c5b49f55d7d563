import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runRound } from '../../fuzz/round.ts'

/** `npm run fuzz` sends more. */
const count = 750

it('nothing that is sent breaks the server, or leaves a row that the contract refuses', async () => {
  const { seed = Date.now() } = fc.readConfigureGlobal()
  const { failure } = await runRound({ seed, count, rowsEvery: 250 })
  expect(failure && `seed ${seed}: ${failure.problem}\nby ${fc.stringify(failure.input)}`).toBeNull()
})
