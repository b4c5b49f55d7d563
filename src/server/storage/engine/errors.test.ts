import { DatabaseError } from 'pg'
import { expect, it } from 'vitest'
import { DatabaseUnavailable, isOutage } from './errors.ts'

const errorWithCode = (code: string): DatabaseError =>
  Object.assign(new DatabaseError('failed', 0, 'error'), { code })

/** By PostgreSQL's code. */
const outages = {
  '08006': 'the connection broke',
  '25006': 'it only reads, after a fail-over',
  '25P03': 'the server paused inside a transaction',
  '28P01': 'the account is refused',
  '3D000': 'the database is gone',
  '40P01': 'still a deadlock after every retry',
  '53100': 'the disk is full',
  '53300': 'too many connections',
  '55P03': 'a lock was not available',
  '57014': 'a statement took too long',
  '57P01': 'it is being stopped',
  '57P02': 'it crashed',
  '57P03': 'it is starting, stopping or recovering',
  '58030': 'the disk failed',
}

it.each(Object.entries(outages))('counts %s as an outage: %s', (code) => {
  expect(isOutage(errorWithCode(code))).toBe(true)
})

it('counts what PostgreSQL did not say itself as an outage, because it was not reached', () => {
  expect(isOutage(new DatabaseUnavailable('Connection terminated unexpectedly'))).toBe(true)
})

it.each(['22P02', '23505', '25P02', '42601', '42P01'])('counts %s as our own mistake', (code) => {
  expect(isOutage(errorWithCode(code))).toBe(false)
})
