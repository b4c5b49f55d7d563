import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCaddy } from '../../test/support/proxies/caddy.ts'
import { startNginx } from '../../test/support/proxies/nginx.ts'
import { describeMachine } from '../load/machine.ts'
import { actAsBrowser } from '../load/page-screen.ts'
import { findPostgres } from '../systems/postgres.ts'

/** Run in the end, the last one first. */
export type Stops = (() => unknown)[]

export type Drill = {
  postgres: Awaited<ReturnType<typeof findPostgres>> & object
  databaseUrl: string
  /** Is removed in the end. */
  folder: string
  stops: Stops
}

/** Runs it on a PostgreSQL of its own, stops everything and ends the process. */
export function runDrill(drill: (setup: Drill) => Promise<void>): Promise<never> {
  return runAlone(async (stops, folder) => {
    const postgres = await findPostgres(folder)
    if (!postgres) throw new Error('This needs PostgreSQL')
    stops.push(() => postgres.stop())
    await drill({ postgres, databaseUrl: await postgres.database(), folder, stops })
  })
}

/** Describes the machine, stops everything in the end and ends the process. */
export async function runAlone(work: (stops: Stops, folder: string) => Promise<void>): Promise<never> {
  const folder = mkdtempSync(join(tmpdir(), 'tableside-drill-'))
  const stops: Stops = [() => rmSync(folder, { recursive: true, force: true })]
  const stopActing = actAsBrowser()
  try {
    console.log(`${describeMachine(folder)}.\n`)
    await work(stops, folder)
  } finally {
    for (const stop of stops.toReversed()) await stop()
    stopActing()
  }
  process.exit(0)
}

/** What `--proxy` may say. */
export const proxies = { nginx: startNginx, caddy: startCaddy }

export function readProxy(name: string): keyof typeof proxies {
  if (name === 'nginx' || name === 'caddy') return name
  throw new Error(`--proxy must be nginx or caddy, not ${name}`)
}
