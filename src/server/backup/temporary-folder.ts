import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * Gone with its user, or with the process. In the system's temporary folder; where nobody may write there, as in the
 * container, in the working directory.
 */
export function createTemporaryFolder(name: string): Disposable & { path: string } {
  const path = create(name)
  const remove = () => rmSync(path, { recursive: true, force: true })
  process.on('exit', remove)
  return {
    path,
    [Symbol.dispose]() {
      remove()
      process.off('exit', remove)
    },
  }
}

function create(name: string): string {
  try {
    return mkdtempSync(join(tmpdir(), `tableside-${name}-`))
  } catch {
    return mkdtempSync(resolve(`.tableside-${name}-`))
  }
}
