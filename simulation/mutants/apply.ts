import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './mutant.ts'

/** The files below `root` as they are with the fault, by path. */
export function applyMutant({ edits }: Mutant, root: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const { file, find, replace } of edits) {
    const text = files.get(file) ?? readFileSync(join(root, file), 'utf8')
    const times = text.split(find).length - 1
    if (times !== 1) throw new Error(`${file} contains ${times} times: ${find}`)
    files.set(
      file,
      text.replace(find, () => replace),
    )
  }
  return files
}
