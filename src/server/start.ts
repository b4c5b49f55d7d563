import cluster from 'node:cluster'
import { CatalogueError } from './adapters/catalogues.ts'
import { createLogger } from './adapters/pino-logger.ts'
import { type App, startApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import * as restaurants from './core/accounts/restaurants/restaurants.ts'
import * as demo from './core/accounts/sign-in/demo.ts'
import { adviseOnDatabase } from './database-advice.ts'
import { type SeedResult, seedDemo } from './seed.ts'
import { DatabaseOpenError, NewerDatabase, PoolerFound } from './storage/engine/errors.ts'
import { DataFolderInUse } from './storage/engine/sqlite/sqlite.ts'
import { ConnectionToPrimary } from './workers/connection-to-primary.ts'
import { Primary } from './workers/primary.ts'

const stopSignals = ['SIGINT', 'SIGTERM'] as const

/** Starts what the environment asks for. If that fails, it says why and ends the process. */
export async function start({ asJson = false } = {}): Promise<void> {
  try {
    const config = readConfig()
    if (config.workers > 1 && cluster.isPrimary) await startPrimary(config)
    else await startNode(config, asJson)
  } catch (error) {
    reportFailure(describeStartupError(error), asJson)
    process.exit(1)
  }
}

function reportFailure(reason: unknown, asJson: boolean): void {
  if (asJson)
    console.log(JSON.stringify({ ok: false, error: reason instanceof Error ? reason.message : reason }))
  else console.error(reason)
}

async function startNode(config: Config, asJson: boolean): Promise<void> {
  let stop = (_options?: { replaced: boolean }): void => {}
  const primary = cluster.isWorker ? new ConnectionToPrimary((options) => stop(options)) : undefined
  const app = await startApp(config, primary ? { shared: primary } : {})
  stop = (options) => void app.close(options).then(() => process.exit(0))
  for (const signal of stopSignals) process.once(signal, () => stop())
  // Of workers only their primary acts on it. A terminal that closes may send it twice: to all of them, and through npm.
  process.on('SIGHUP', () => {
    if (!primary) stop()
  })
  if (cluster.worker === undefined || cluster.worker.id === 1) {
    const welcome = await prepareWelcome(app, config)
    console.log(asJson ? JSON.stringify({ ok: true, ...welcome }) : welcomeMessage(welcome))
  }
  primary?.reportReady()
}

async function startPrimary(config: Config): Promise<void> {
  const primary = new Primary(config, createLogger())
  for (const signal of stopSignals)
    process.once(signal, () => void primary.stop().then(() => process.exit(0)))
  process.on('SIGHUP', () => void primary.replaceWorkers())
  if (!(await primary.start())) process.exit(1)
}

function describeStartupError(error: unknown): unknown {
  if (error instanceof ConfigError) return `Please correct these settings:\n${error.message}`
  if (error instanceof CatalogueError) return `${error.message}\nPlease correct the file, or CATALOGUES`
  if (error instanceof DataFolderInUse) {
    return `${error.message}\nPlease stop it first, or choose another folder, such as DATABASE_URL=file:./other/tableside.db npm start`
  }
  if (error instanceof NewerDatabase)
    return `${error.message}\nPlease start that version, or restore an older backup into another folder or database`
  if (error instanceof DatabaseOpenError || error instanceof PoolerFound) {
    return `${error.message}\n${adviseOnDatabase(error) ?? 'Please correct DATABASE_URL'}`
  }
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  return isTaken ? `${error.message}\nPlease choose another port, such as PORT=3001 npm start` : error
}

type Welcome = {
  url: string
  guests?: string
  crew?: string
  demo?: Pick<SeedResult, 'restaurantName' | 'logins'>
}

/** What the operator needs next. The passwords are shown only this once. */
async function prepareWelcome(app: App, config: Config): Promise<Welcome> {
  const empty = !(await restaurants.exists(app.ctx))
  const shouldSeed = config.demo === 'auto' ? empty && !config.production : config.demo
  const seeded = shouldSeed && empty ? await seedDemo(app.ctx) : null
  const name = await demo.findRestaurantName(app.ctx)
  return {
    url: app.url,
    ...(name !== undefined && {
      guests: `${app.url}${await demo.buildGuestLink(app.ctx, name, '5')}`,
      crew: `${app.url}${seeded ? `/api/demo-crew/${seeded.crewKey}` : '/restaurant-login'}`,
    }),
    ...(seeded && { demo: { restaurantName: seeded.restaurantName, logins: seeded.logins } }),
  }
}

function welcomeMessage({ url, guests, crew, demo: seeded }: Welcome): string {
  const lines = [`Tableside is running at ${url}`]
  if (guests !== undefined) lines.push('', `  Guests  ${guests}`, `  Crew    ${crew}`)
  if (seeded) lines.push('', ...passwordLines(seeded))
  return `\n${lines.join('\n')}\n`
}

function passwordLines({ restaurantName, logins }: Pick<SeedResult, 'restaurantName' | 'logins'>): string[] {
  return [
    `  ${restaurantName} is a demo restaurant. Its passwords are shown this once:`,
    ...logins.map(({ who, username, password }) => `  ${who.padEnd(28)} ${username.padEnd(16)} ${password}`),
  ]
}
