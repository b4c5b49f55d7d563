import ipaddr from 'ipaddr.js'
import type { DeliveryOutcome, Mailer } from '../ports/outbound.ts'

export type MailSettings = { url: string; from: { name: string; address: string } }

/** However slowly the mail server answers. */
const attemptTimeoutMs = 20_000

function toTransportOptions(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  return {
    host: hostname,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // A password never crosses a network unencrypted.
    requireTLS: !secure && username !== '' && !isThisMachine(hostname),
    connectionTimeout: 5_000,
    dnsTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
  }
}

/** Connects and logs in, and sends nothing. */
export async function checkMailServer({ url }: MailSettings): Promise<DeliveryOutcome> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(toTransportOptions(url))
  try {
    await Promise.race([transport.verify(), rejectAfter(attemptTimeoutMs, new AbortController().signal)])
    return { problem: null }
  } catch (error) {
    return { problem: describeError(error) }
  } finally {
    transport.close()
  }
}

export function createMailer({ url, from }: MailSettings): Mailer {
  const options = toTransportOptions(url)
  const closing = new AbortController()
  return {
    async send({ to, subject, text, id }): Promise<DeliveryOutcome> {
      // Loaded on demand, since most installations never need it.
      const { createTransport } = await import('nodemailer')
      if (closing.signal.aborted) return { problem: describeError(null) }
      const transport = createTransport(options)
      try {
        const sending = transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          messageId: `<${id}@${from.address.split('@')[1]}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
        await Promise.race([sending, rejectAfter(attemptTimeoutMs, closing.signal)])
        return { problem: null }
      } catch (error) {
        return { problem: describeError(error) }
      } finally {
        transport.close()
      }
    },
    close: () => closing.abort(),
  }
}

const isThisMachine = (hostname: string): boolean =>
  hostname === 'localhost' || (ipaddr.isValid(hostname) && ipaddr.process(hostname).range() === 'loopback')

function rejectAfter(ms: number, signal: AbortSignal): Promise<never> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(ms)])
  return new Promise((_, reject) => {
    ended.addEventListener('abort', () => reject(new Error('no answer')), { once: true })
    if (ended.aborted) reject(new Error('no answer'))
  })
}

/** The library's own messages quote what the mail server says, which may be anything. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'The mail server could not be reached'
  if ('code' in error && error.code === 'EAUTH')
    return 'The mail server does not accept the login of this server'
  if ('responseCode' in error) return `The mail server answered ${String(error.responseCode)}`
  return 'The mail server could not be reached'
}
