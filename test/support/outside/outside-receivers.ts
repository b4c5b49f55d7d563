import { expect } from 'vitest'
import { api } from '#contract/api.ts'
import { escalateDueRequests } from '../../../src/server/core/requests/escalation/escalation.ts'
import { startTestApp, type TestApp } from '../app.ts'
import { startForEachTest } from '../each-test.ts'
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts'
import { type MailServer, startMailServer } from './mail-server.ts'

/** Each test gets a mail server, a web server, and a server that may call both and runs its scheduled tasks by hand. */
export function setUpOutsideReceivers() {
  const running = startForEachTest(async () => {
    const [mails, web] = [await startMailServer(), await startHttpReceiver()]
    const app = await startTestApp({ mail: mails.mail, outboundAllow: ['127.0.0.0/8'], scheduler: 'manual' })
    const stop = async () => {
      await app.stop()
      await web.stop()
      await mails.stop()
    }
    return { running: { app, mails, web }, stop }
  })
  return {
    get app(): TestApp {
      return running().app
    },
    get mails(): MailServer {
      return running().mails
    },
    get web(): HttpReceiver {
      return running().web
    },
    /** The six digits that were mailed last. */
    lastCode(): string {
      const text = running().mails.received.at(-1)?.text ?? ''
      return /\b\d{6}\b/u.exec(text)?.[0] ?? ''
    },
  }
}

/** Advances the clock, and runs the scheduled tasks as several nodes do, at the same moment. */
export async function passTime(app: TestApp, ms: number): Promise<void> {
  app.advance(ms)
  await Promise.all([escalateDueRequests(app.ctx), escalateDueRequests(app.ctx)])
  await Promise.all([app.ctx.outsideAlerts.sendDue(), app.ctx.outsideAlerts.sendDue()])
  await app.whenIdle()
}

/** A request that has just reached the manager. */
export async function askUntilManager(
  app: TestApp,
  { name }: { name: string },
  tableNumber = '7',
  guest = app.browser(),
): Promise<string> {
  const body = { restaurantId: name, tableNumber, serviceType: 'check' } as const
  const { request } = await guest.ok(api.requests.send, { body })
  await passTime(app, 25_000)
  await passTime(app, 25_000)
  const row = app.ctx.db.reader.selectFrom('serviceRequest').select('level').where('id', '=', request.id)
  expect(await row.executeTakeFirst()).toEqual({ level: 2 })
  return request.id
}
