import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { portOf } from '../ports.ts'

export type ReceivedMail = {
  from: string
  to: string[]
  /** As sent, one per line. */
  headers: string[]
  subject: string
  text: string
}

const login = { user: 'tableside', pass: 'p:w@rd' }

/** A mail server on loopback that accepts one login. */
export async function startMailServer() {
  const received: ReceivedMail[] = []
  /** By recipient: refused with this message. */
  const refused = new Map<string, string>()
  const server = new SMTPServer({
    hideSTARTTLS: true,
    disableReverseLookup: true,
    onAuth({ username, password }, _session, done) {
      if (username === login.user && password === login.pass) done(null, { user: username })
      else done(new Error('wrong login'))
    },
    onRcptTo({ address }, _session, done) {
      const message = refused.get(address)
      done(message === undefined ? null : Object.assign(new Error(message), { responseCode: 550 }))
    },
    onData(stream, { envelope }, done) {
      void text(stream).then((raw) => {
        received.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          ...readMail(raw),
        })
        done()
      })
    },
  })
  // Clients that give up reset their connections.
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${portOf(server.server)}`
  const from = { name: 'Tableside', address: 'alerts@tableside.example' }
  return {
    /** An option of `startTestApp`. */
    mail: { url: `smtp://${login.user}:${encodeURIComponent(login.pass)}@${host}`, from },
    host,
    received,
    refused,
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

function readMail(raw: string): Pick<ReceivedMail, 'headers' | 'subject' | 'text'> {
  const [head = '', ...body] = raw.split('\r\n\r\n')
  const headers = head.replaceAll(/\r\n[ \t]/gu, ' ').split('\r\n')
  const subject = headers.find((line) => line.startsWith('Subject: ')) ?? ''
  const text = body.join('\r\n\r\n').replaceAll(/=\r\n/gu, '')
  const isEncoded = headers.some((line) => /^Content-Transfer-Encoding: quoted-printable/iu.test(line))
  return {
    headers,
    subject: subject.slice('Subject: '.length),
    text: (isEncoded
      ? decodeURIComponent(text.replaceAll('%', '%25').replaceAll('=', '%'))
      : text
    ).replaceAll('\r\n', '\n'),
  }
}
