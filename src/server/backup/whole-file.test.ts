import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeWholeFile } from './whole-file.ts'

it.each([250, 300])('says that a name of %i characters is too long', async (length) => {
  const target = join(tmpdir(), 'x'.repeat(length))
  await expect(writeWholeFile(target, async () => {})).rejects.toThrow(
    `${target} cannot be written: The name is too long. Nothing was kept.`,
  )
})
