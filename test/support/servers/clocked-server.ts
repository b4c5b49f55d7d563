import { createLogger } from '../../../src/server/adapters/pino-logger.ts'
import { startApp } from '../../../src/server/app.ts'
import { readConfig } from '../../../src/server/config.ts'

/** A server in a separate process whose clock is ahead by the milliseconds that its parent process sends. */
let ahead = Number(process.env['CLOCK_AHEAD'] ?? 0)
const log = createLogger()
const app = await startApp(readConfig(process.env), { now: () => Date.now() + ahead, log })
process.on('message', (ms) => {
  ahead = Number(ms)
  process.send?.('heard')
})
process.once('SIGTERM', () => {
  void app.close().then(() => process.exit())
})
console.log(`The server is running at ${app.url}`)
