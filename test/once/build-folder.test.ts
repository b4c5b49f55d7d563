import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { replaceFolder } from '../../scripts/replace-folder.ts'

function createTarget(): { root: string; target: string } {
  const root = mkdtempSync(join(tmpdir(), 'tableside-build-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  return { root, target: join(root, 'dist') }
}

it('the client is built on the file system of its folder, wherever node_modules and temporary files are', async () => {
  const { root, target } = createTarget()
  for (const version of ['1', '2'])
    await replaceFolder(target, async (fresh) => {
      expect(dirname(fresh)).toBe(root)
      writeFileSync(join(fresh, version), version)
    })
  expect(readdirSync(root)).toEqual(['dist'])
  expect(readdirSync(target)).toEqual(['2'])
})

it('a build that fails leaves the client as it was', async () => {
  const { root, target } = createTarget()
  mkdirSync(target)
  writeFileSync(join(target, 'manifest.json'), 'before')
  const build = replaceFolder(target, async (fresh) => {
    writeFileSync(join(fresh, 'manifest.json'), 'half')
    throw new Error('It does not compile')
  })
  await expect(build).rejects.toThrow('It does not compile')
  expect(readdirSync(root)).toEqual(['dist'])
  expect(readFileSync(join(target, 'manifest.json'), 'utf8')).toBe('before')
})
