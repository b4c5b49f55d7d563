import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { applyMutant } from '../../simulation/mutants/apply.ts'
import { mutants } from '../../simulation/mutants/list.ts'
import type { Mutant } from '../../simulation/mutants/mutant.ts'

const wellFormed: Mutant = {
  name: 'nobody listens',
  edits: [{ file: 'package.json', find: `"name": "tableside"`, replace: `"name": "other"` }],
}

function problemOf(mutant: Mutant): string | null {
  const { foundBy } = mutant
  if (foundBy !== undefined && !existsSync(foundBy)) return `${foundBy} does not exist`
  try {
    applyMutant(mutant, '.')
    return mutant.edits.some(({ find, replace }) => find === replace) ? 'an edit changes nothing' : null
  } catch (error) {
    return String(error)
  }
}

it('has at least 30 planted faults, and each still applies to the product', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(30)
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  expect(Object.fromEntries(mutants.map((mutant) => [mutant.name, problemOf(mutant)]))).toEqual(
    Object.fromEntries(mutants.map(({ name }) => [name, null])),
  )
})

it('notices a planted fault whose place has gone, or is no longer the only one', () => {
  expect(problemOf(wellFormed)).toBeNull()
  const at = (find: string): Mutant => ({
    ...wellFormed,
    edits: [{ file: 'package.json', find, replace: '' }],
  })
  expect(problemOf(at('no such line'))).toContain('contains 0 times')
  expect(problemOf(at('node '))).toContain('package.json contains')
  expect(problemOf({ ...wellFormed, foundBy: 'test/no-such.test.ts' })).toContain('does not exist')
})

it('plants all edits of one file together', () => {
  const edit = (find: string, replace: string) => ({ file: 'package.json', find, replace })
  const files = applyMutant(
    {
      name: 'two edits',
      edits: [edit('"type": "module"', '"type": "x"'), edit('"type": "x"', '"type": "y"')],
    },
    '.',
  )
  expect([...files.keys()]).toEqual(['package.json'])
  expect(files.get('package.json')).toContain('"type": "y"')
})
