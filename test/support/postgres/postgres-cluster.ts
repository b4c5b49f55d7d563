import { onTestFinished } from 'vitest'
import { startPostgresServer } from './postgres-server.ts'

/** A PostgreSQL server of the test's own, which it may restart, kill or promote. */
export async function startPostgres(...options: Parameters<typeof startPostgresServer>) {
  const server = await startPostgresServer(...options)
  onTestFinished(() => server.remove())
  return server
}
