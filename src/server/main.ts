import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'

// Stripping types and compiling would take nearly half of a start. The system's temporary folder, the default, may be
// written by other users. Where this one is read-only, everything is compiled as before.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/tableside'))
const { start } = await import('./start.ts')
await start()
// Now rather than at the end, which a killed process never reaches.
flushCompileCache()
