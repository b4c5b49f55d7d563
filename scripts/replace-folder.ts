import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'

/**
 * Fills another folder and swaps it in, so that what fails, or runs twice at once, never leaves half of it. That one is
 * beside the target: folders are not renamed to another file system, which `node_modules` or the one for temporary files
 * may be.
 */
export async function replaceFolder(target: string, fill: (fresh: string) => Promise<void>): Promise<void> {
  const fresh = mkdtempSync(`${target}-`)
  try {
    await fill(fresh)
    if (existsSync(target)) renameSync(target, `${fresh}-old`)
    renameSync(fresh, target)
  } finally {
    for (const folder of [fresh, `${fresh}-old`]) rmSync(folder, { recursive: true, force: true })
  }
}
