import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { start } from '../start.ts'
import { CommandError } from './output.ts'

export const builtPages = join(import.meta.dirname, '../../../dist/manifest.json')

/** Resolves once it has started. It then runs until it is told to stop. */
export async function startServer(options: { asJson: boolean }): Promise<void> {
  if (!existsSync(builtPages))
    throw new CommandError('The pages of guests and crews are not built yet. Please run: npm run build')
  await start(options)
}
