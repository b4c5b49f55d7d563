import fc from 'fast-check'
import { type Input, inputs } from './inputs.ts'
import { BrokenPromise, perform } from './perform.ts'
import { World } from './world.ts'

/** The input as small as it was found to break the promise. */
export type Failure = { input: Input; problem: string }
export type RoundResult = { count: number; failure: Failure | null }

/** So many inputs of one seed to one server. All rows are read after every `rowsEvery` inputs. */
export async function runRound(options: {
  seed: number
  count: number
  rowsEvery: number
}): Promise<RoundResult> {
  let world = await World.open()
  let count = 0
  let problem = ''
  const property = fc.asyncProperty(inputs, async (input) => {
    try {
      count++
      await perform(world, input)
      if (count % options.rowsEvery !== 0 && count !== options.count) return
      const row = await world.findWrongRow()
      if (row !== null) throw new BrokenPromise(row)
    } catch (error) {
      problem = error instanceof Error ? (error.stack ?? error.message) : String(error)
      // A smaller input is tried on a server of its own.
      await world.close()
      world = await World.open()
      throw error
    }
  })
  const { failed, counterexample } = await fc.check(property, { seed: options.seed, numRuns: options.count })
  await world.close()
  const [input] = counterexample ?? []
  return { count: Math.min(count, options.count), failure: failed && input ? { input, problem } : null }
}

/** A wrong row is one of many inputs' work, so the round is run again to name the input. */
export async function findFailure(options: { seed: number; count: number }): Promise<RoundResult> {
  const result = await runRound({ ...options, rowsEvery: 250 })
  if (result.failure === null) return result
  const again = await runRound({ ...options, rowsEvery: 1 })
  return again.failure === null ? result : again
}
