import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it.each(['.oxlintrc.json', '.oxfmtrc.json'])('%s leaves out no folder below the top', (file) => {
  const { ignorePatterns }: { ignorePatterns: string[] } = JSON.parse(readFileSync(file, 'utf8'))
  // A name alone stands for every folder of that name, such as `src/client/lib`.
  const anywhere = ignorePatterns.filter((pattern) => !pattern.startsWith('/') && !pattern.includes('.'))
  expect(anywhere).toEqual([])
})
