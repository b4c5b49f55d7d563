import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MailServer, startMailServer } from '../../../test/support/outside/mail-server.ts'
import { freePort, portOf } from '../../../test/support/ports.ts'
import { createMailer } from './mailer.ts'

let server: MailServer
beforeEach(async () => {
  server = await startMailServer()
})
afterEach(() => server.stop())

const mail = { id: 'm-1', to: 'owner@example.com', subject: 'Table 7', text: 'Nobody came.\nhttps://x' }
const sendBy = (url: string) => createMailer({ ...server.mail, url }).send(mail)

describe('a mail', () => {
  it('arrives, in the name of this server', async () => {
    expect(await createMailer(server.mail).send(mail)).toEqual({ problem: null })
    const [received] = server.received
    expect(received).toMatchObject({
      from: 'alerts@tableside.example',
      to: ['owner@example.com'],
      subject: 'Table 7',
      text: 'Nobody came.\nhttps://x\n',
    })
    expect(received?.headers).toEqual(
      expect.arrayContaining([
        'From: Tableside <alerts@tableside.example>',
        'To: owner@example.com',
        'Message-ID: <m-1@tableside.example>',
        'Auto-Submitted: auto-generated',
      ]),
    )
  })

  it('gets no headers or recipients from what people called their restaurant', async () => {
    const subject = 'Blue\r\nBcc: spy@example.com\r\n\r\nDoor, <spy@example.com>'
    await createMailer(server.mail).send({ ...mail, subject })
    const [received] = server.received
    expect(received?.to).toEqual(['owner@example.com'])
    expect(received?.headers.filter((line) => /^bcc:/iu.test(line))).toEqual([])
    expect(received?.text).toBe('Nobody came.\nhttps://x\n')
  })

  it('that the mail server refuses has a problem in our words', async () => {
    server.refused.set('owner@example.com', 'secret details')
    expect(await createMailer(server.mail).send(mail)).toEqual({ problem: 'The mail server answered 550' })
  })

  it('cannot be sent with a wrong login, or when nothing answers', async () => {
    expect(await sendBy(`smtp://tableside:wrong@${server.host}`)).toEqual({
      problem: 'The mail server does not accept the login of this server',
    })
    expect(await sendBy(`smtp://127.0.0.1:${await freePort()}`)).toEqual({
      problem: 'The mail server could not be reached',
    })
  })

  it('that is still being sent fails when the server stops', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const connected = new Promise((resolve) => silent.once('connection', resolve))
    const mailer = createMailer({ ...server.mail, url: `smtp://127.0.0.1:${portOf(silent)}` })
    const sending = mailer.send(mail)
    await connected
    mailer.close()
    expect(await sending).toEqual({ problem: 'The mail server could not be reached' })
    silent.close()
  })

  it('is not sent once the server has stopped', async () => {
    const mailer = createMailer(server.mail)
    mailer.close()
    expect(await mailer.send(mail)).toEqual({ problem: 'The mail server could not be reached' })
    await createMailer(server.mail).send({ ...mail, id: 'm-2', subject: 'Table 8' })
    expect(server.received.map(({ subject }) => subject)).toEqual(['Table 8'])
  })
})
