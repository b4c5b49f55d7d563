import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'

// As for `npm start`, whose cache it shares.
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/tableside'))
const { runCommandLine } = await import('./command-line.ts')
process.exitCode = await runCommandLine(process.argv.slice(2))
flushCompileCache()
