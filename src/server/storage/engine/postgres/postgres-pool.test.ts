import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { isOutage } from '../errors.ts'
import { createPool } from './postgres-pool.ts'

/** A PostgreSQL that answers everyone who connects with this error. */
async function startRefusing(code: string, message: string): Promise<string> {
  const fields = ['SFATAL', 'VFATAL', `C${code}`, `M${message}`, ''].map((field) => `${field}\0`).join('')
  const answer = Buffer.alloc(5 + fields.length)
  answer.write('E')
  answer.writeInt32BE(4 + fields.length, 1)
  answer.write(fields, 5)
  const server = createServer((socket) => socket.once('data', () => socket.end(answer)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return `postgres://someone@127.0.0.1:${typeof address === 'object' ? address?.port : 0}/tableside`
}

it.each([
  ['XX000', 'could not write init file'],
  ['57P03', 'the database system is in recovery mode'],
  ['53300', 'sorry, too many clients already'],
])('counts it as an outage that nobody can connect: %s, %s', async (code, message) => {
  const pool = createPool(await startRefusing(code, message), 1)
  onTestFinished(() => pool.end())
  const error = await pool.connect().catch((refusal: unknown) => refusal)
  expect(isOutage(error)).toBe(true)
})
