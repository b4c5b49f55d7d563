import { type App, startApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import * as demo from './core/demo.ts'
import * as restaurants from './core/restaurants.ts'
import { type Seeded, seedDemo } from './seed.ts'
import { DatabaseNotOpened } from './storage/not-opened.ts'
import { DataFolderInUse } from './storage/sqlite.ts'

try {
  const config = readConfig()
  const app = await startApp(config)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void app.close().then(() => process.exit(0)))
  }
  console.log(await welcome(app, config))
} catch (error) {
  console.error(inWords(error))
  process.exit(1)
}

function inWords(error: unknown): unknown {
  if (error instanceof ConfigError) return `Please correct these settings:\n${error.message}`
  if (error instanceof DataFolderInUse) {
    return `${error.message}\nPlease stop it first, or choose another folder, such as DATABASE_URL=file:./other/tableside.db npm start`
  }
  if (error instanceof DatabaseNotOpened) return `${error.message}\nPlease correct DATABASE_URL`
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  return isTaken ? `${error.message}\nPlease choose another port, such as PORT=3001 npm start` : error
}

/** What whoever started it needs to go on. The passwords are told this once. */
async function welcome(app: App, config: Config): Promise<string> {
  const empty = !(await restaurants.any(app.ctx))
  const wanted = config.demo === 'auto' ? empty && !config.production : config.demo
  const seeded = wanted && empty ? await seedDemo(app.ctx) : null
  const name = await demo.restaurantName(app.ctx)
  const lines = [`Tableside is running at ${app.url}`]
  if (name !== undefined) {
    lines.push('', `  Guests  ${app.url}${await demo.guestLink(app.ctx, name, '5')}`)
    lines.push(`  Crew    ${app.url}${seeded ? `/api/demo-crew/${seeded.crewKey}` : '/restaurant-login'}`)
  }
  if (seeded) lines.push('', ...passwords(seeded))
  return `\n${lines.join('\n')}\n`
}

function passwords({ restaurantName, logins }: Seeded): string[] {
  return [
    `  ${restaurantName} is a demo restaurant. Its passwords are shown this once:`,
    ...logins.map(({ who, username, password }) => `  ${who.padEnd(28)} ${username.padEnd(16)} ${password}`),
  ]
}
