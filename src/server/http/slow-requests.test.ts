import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp, startTestApp } from '../../../test/support/app.ts'
import { holdRequest } from '../../../test/support/restaurants/held-request.ts'
import { startTenant } from '../../../test/support/restaurants/tenants.ts'
import { defaultRequestTimeouts } from './server.ts'

const app = setUpApp()

const newManager = { username: 'second', password: 'velvet-harbour-77', meant: 'new' }

it('no manager is added on behalf of one who was removed while the body was being sent', async () => {
  const tenant = await startTenant(app, 'Harbour House')
  const manager = await tenant.enter('manager')
  const held = await holdRequest(app.url, manager, 'POST', '/api/admin/manager-credentials', newManager)
  const { managers = [] } = await tenant.owner.ok(api.managers.currentUser, {})
  for (const { id } of managers) await tenant.owner.ok(api.managers.remove, { params: { id } })
  const { status } = await held.finish()
  expect(status).toBe(401)
  expect(await tenant.owner.ok(api.managers.currentUser, {})).toMatchObject({ managers: [] })
})

it('reveals nothing to unauthorized callers when the body cannot be read', async () => {
  const { device } = await app.restaurant()
  for (const browser of [device, app.browser()]) {
    const answer = await browser.send('POST', '/api/admin/manager-credentials', '{')
    expect(answer.status).toBe(browser === device ? 403 : 401)
  }
  const { owner } = await app.restaurant()
  expect(await owner.send('POST', '/api/admin/manager-credentials', '{')).toMatchObject({ status: 400 })
})

it('ends a request whose body trickles in, and one whose headers never end', async () => {
  expect(defaultRequestTimeouts).toEqual({
    arriveWithinMs: 10_000,
    checkEveryMs: 1_000,
    finishWithinMs: 5_000,
  })
  const requestTimeouts = { arriveWithinMs: 500, checkEveryMs: 50, finishWithinMs: 500 }
  const short = await startTestApp({ requestTimeouts })
  const { owner } = await short.restaurant()
  const held = await holdRequest(short.url, owner, 'POST', '/api/admin/manager-credentials', newManager)
  const drip = setInterval(() => held.sendMore(1), 50)
  const { status, body } = await held.answer
  clearInterval(drip)
  expect({ status, ...JSON.parse(body) }).toEqual({
    status: 408,
    code: 'timeout',
    message: 'The request took too long',
  })
  expect(await owner.ok(api.managers.currentUser, {})).toMatchObject({ managers: [] })

  const socket = connect(short.port, 'localhost')
  socket.write('GET /api/session HTTP/1.1\r\nHost: localhost\r\nX-A: ')
  const chunks: Buffer[] = []
  for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk)
  expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 408 /u)
  await short.stop()
})
