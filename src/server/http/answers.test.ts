import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { setUpApp } from '../../../test/support/app.ts'

const app = setUpApp()

it('answers what is done, even if it cannot store that the login was used', async () => {
  const { owner } = await app.restaurant()
  app.advance(6 * minuteMs)
  const { db } = app.ctx
  const transact = db.transact.bind(db)
  let writes = 0
  db.transact = async (...work) => {
    if (++writes > 1) throw new Error('The disk is full')
    return transact(...work)
  }
  const body = { name: 'Till', scopes: ['requests:read' as const], days: null }
  const created = await owner.call(api.apiTokens.create, { body })
  expect(created).toMatchObject({ status: 201, body: { token: expect.any(String) } })
  expect(app.lines.join('')).toContain('could not store that a login was used')
  db.transact = transact
  app.lines.length = 0
})

it('answers a call that offers HTTP/2 as any other', async () => {
  const { name } = await app.restaurant({ tables: ['7'] })
  const { promise: answered, resolve, reject } = Promise.withResolvers<unknown[]>()
  // As Java's client does by default.
  const headers = {
    connection: 'Upgrade, HTTP2-Settings',
    upgrade: 'h2c',
    'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
    'content-type': 'application/json',
  }
  request(`${app.url}/api/service-requests`, { method: 'POST', headers }, (answer) => {
    text(answer).then((body) => resolve([answer.statusCode, body]), reject)
  })
    .on('error', reject)
    .end(JSON.stringify({ restaurantId: name, tableNumber: '7', serviceType: 'check' }))
  expect(await answered).toEqual([201, expect.stringContaining('"tableNumber":"7"')])
})
