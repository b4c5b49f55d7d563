import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs, secondMs } from '#contract/durations.ts'
import { localDay } from '../../src/server/core/dates.ts'
import { password, TestBrowser } from '../support/app.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/outside/http-receiver.ts'
import { type MailServer, startMailServer } from '../support/outside/mail-server.ts'
import { type ServerProcess, startProcess } from '../support/servers/server-process.ts'

const restaurantName = 'Blue Door'
const managersMail = 'manager@example.com'

let database: TestDatabase
let mails: MailServer
let web: HttpReceiver
let server: ServerProcess
let ahead: number

const start = (): Promise<ServerProcess> =>
  startProcess([join(import.meta.dirname, '../support/servers/clocked-server.ts')], {
    PORT: '0',
    PUBLIC_URL: '',
    DEMO: 'off',
    GUEST_LIMITS: 'off',
    DATABASE_URL: database.url,
    SMTP_URL: mails.mail.url,
    MAIL_FROM: mails.mail.from.address,
    OUTBOUND_ALLOW: '127.0.0.1',
    CLOCK_AHEAD: String(ahead),
  })

beforeEach(async () => {
  // Its clock starts at noon, so that the day does not end meanwhile.
  ahead = Date.parse(`${localDay(Date.now(), 'UTC')}T12:00Z`) - Date.now()
  database = await freshDatabase()
  ;[mails, web] = [await startMailServer(), await startHttpReceiver()]
  server = await start()
})
afterEach(async () => {
  await server.kill()
  await web.stop()
  await mails.stop()
  await database.drop()
})

const browser = () => new TestBrowser(() => server.url)

async function advance(ms: number): Promise<void> {
  ahead += ms
  await server.sendMessage(ahead)
}

async function killAndStart(laterMs: number): Promise<void> {
  await server.kill()
  ahead += laterMs
  server = await start()
}

/** Nobody comes; a minute after the manager, somebody outside is alerted. */
async function askUntilOutside(tableNumber: string): Promise<void> {
  const body = { restaurantId: restaurantName, tableNumber, serviceType: 'check' } as const
  const { request } = await browser().ok(api.requests.send, { body })
  await advance(50 * secondMs)
  await expect.poll(() => levelOf(request.id)).toBe(2)
  await advance(minuteMs)
}

let owner: TestBrowser
async function levelOf(id: string): Promise<number | undefined> {
  const screen = await owner.connect()
  screen.send({ type: 'get-pending-requests' })
  const { requests } = await screen.next('pending-requests')
  screen.close()
  return requests.find((request) => request.id === id)?.level
}

/** The ids of what was sent about a table, by path. */
const idsFor = (table: string, path: string): unknown[] =>
  web.received
    .filter((each) => each.path === path && each.body.includes(table))
    .map(({ headers }) => headers['webhook-id'])
const mailsAbout = (table: string) => mails.received.filter(({ subject }) => subject.includes(table))

it('tells each receiver outside once, although the process is killed between its tries and after the last', async () => {
  owner = browser()
  await owner.ok(api.accounts.signUp, {
    body: { restaurantName, email: 'owner@example.com', password, timeZone: 'UTC' },
  })
  await owner.ok(api.floor.setUp, { body: { setupType: 'custom', customTables: ['Bar', 'Patio'] } })
  await owner.ok(api.outsideAlerts.setDelay, { body: { afterMs: minuteMs } })
  for (const body of [
    { kind: 'webhook', address: `${web.url}/hook` },
    { kind: 'ntfy', address: `${web.url}/blue-door` },
  ] as const)
    await owner.ok(api.outsideAlerts.addChannel, { body })
  const { channel } = await owner.ok(api.outsideAlerts.addChannel, {
    body: { kind: 'email', address: managersMail },
  })
  const code = /\b\d{6}\b/u.exec(mails.received[0]?.text ?? '')?.[0] ?? ''
  await owner.ok(api.outsideAlerts.confirmChannel, { params: { id: channel.id }, body: { code } })

  web.answer = 503
  mails.refused.set(managersMail, 'later')
  const problems = async () => {
    const { channels } = await owner.ok(api.outsideAlerts.settings, {})
    return channels.map(({ last }) => last?.problem ?? '').toSorted()
  }
  await askUntilOutside('Patio')
  const failures = ['It answered 503', 'It answered 503', 'The mail server answered 550']
  await expect.poll(problems).toEqual(failures)
  await advance(6 * secondMs)
  await expect.poll(() => [idsFor('Patio', '/hook').length, idsFor('Patio', '/').length]).toEqual([2, 2])

  await server.kill()
  web.answer = 200
  mails.refused.clear()
  await killAndStart(16 * secondMs)
  await expect.poll(problems).toEqual(['', '', ''])
  expect(idsFor('Patio', '/hook')).toHaveLength(3)
  expect(new Set(idsFor('Patio', '/hook')).size).toBe(1)
  expect(idsFor('Patio', '/')).toHaveLength(3)
  expect(mailsAbout('Patio')).toHaveLength(1)

  await killAndStart(minuteMs)
  // Once the next one has come, whatever was left of the first would have come before.
  await askUntilOutside('Bar')
  await expect
    .poll(() => [idsFor('Bar', '/hook').length, idsFor('Bar', '/').length, mailsAbout('Bar').length])
    .toEqual([1, 1, 1])
  expect(idsFor('Patio', '/hook')).toHaveLength(3)
  expect(idsFor('Patio', '/')).toHaveLength(3)
  expect(mailsAbout('Patio')).toHaveLength(1)
})
