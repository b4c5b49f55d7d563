import { type App, startApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import * as demo from './core/accounts/demo.ts'
import * as restaurants from './core/accounts/restaurants.ts'
import { type SeedResult, seedDemo } from './seed.ts'
import { DatabaseOpenError } from './storage/engine/errors.ts'
import { DataFolderInUse } from './storage/engine/sqlite.ts'

try {
  const config = readConfig()
  const app = await startApp(config)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void app.close().then(() => process.exit(0)))
  }
  console.log(await welcomeMessage(app, config))
} catch (error) {
  console.error(describeStartupError(error))
  process.exit(1)
}

function describeStartupError(error: unknown): unknown {
  if (error instanceof ConfigError) return `Please correct these settings:\n${error.message}`
  if (error instanceof DataFolderInUse) {
    return `${error.message}\nPlease stop it first, or choose another folder, such as DATABASE_URL=file:./other/tableside.db npm start`
  }
  if (error instanceof DatabaseOpenError) return `${error.message}\nPlease correct DATABASE_URL`
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  return isTaken ? `${error.message}\nPlease choose another port, such as PORT=3001 npm start` : error
}

/** What the operator needs next. The passwords are shown only this once. */
async function welcomeMessage(app: App, config: Config): Promise<string> {
  const empty = !(await restaurants.exists(app.ctx))
  const shouldSeed = config.demo === 'auto' ? empty && !config.production : config.demo
  const seeded = shouldSeed && empty ? await seedDemo(app.ctx) : null
  const name = await demo.findRestaurantName(app.ctx)
  const lines = [`Tableside is running at ${app.url}`]
  if (name !== undefined) {
    lines.push('', `  Guests  ${app.url}${await demo.buildGuestLink(app.ctx, name, '5')}`)
    lines.push(`  Crew    ${app.url}${seeded ? `/api/demo-crew/${seeded.crewKey}` : '/restaurant-login'}`)
  }
  if (seeded) lines.push('', ...passwordLines(seeded))
  return `\n${lines.join('\n')}\n`
}

function passwordLines({ restaurantName, logins }: SeedResult): string[] {
  return [
    `  ${restaurantName} is a demo restaurant. Its passwords are shown this once:`,
    ...logins.map(({ who, username, password }) => `  ${who.padEnd(28)} ${username.padEnd(16)} ${password}`),
  ]
}
