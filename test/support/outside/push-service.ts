import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { api } from '#contract/api.ts'
import type { PushAudience, PushPayload } from '#contract/push.ts'
import type { TestBrowser } from '../app.ts'
import { portOf } from '../ports.ts'
import { createSelfSignedCertificate } from '../proxies/certificate.ts'

export type ReceivedPush = PushPayload & { topic: string; urgency: string; ttl: number }

/** A push service on loopback, and the devices that have subscribed to it. */
export async function startPushService() {
  const certificate = createSelfSignedCertificate()
  const devices = new Map<string, FakePushDevice>()
  const server = createServer(certificate, (request, response) => {
    const device = devices.get(request.url ?? '')
    if (device) void device.receive(request, response, origin)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `https://localhost:${portOf(server)}`

  return {
    /** An option of `startTestApp`. */
    pushService: { ca: certificate.cert },
    device(): FakePushDevice {
      const path = `/push/${devices.size + 1}-${randomBytes(8).toString('hex')}`
      const device = new FakePushDevice(origin + path)
      devices.set(path, device)
      return device
    },
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type PushService = Awaited<ReturnType<typeof startPushService>>

/** A browser that has subscribed: only it can decrypt what is sent to it. */
export class FakePushDevice {
  readonly endpoint: string
  readonly keys: { p256dh: string; auth: string }
  readonly received: ReceivedPush[] = []
  /** The status that the push service answers with; `never` leaves the server waiting, a promise until it resolves. */
  answer: number | 'never' | Promise<number> = 201
  /** How often a push was attempted, whatever the answer. */
  attempts = 0
  #ecdh: ECDH = createECDH('prime256v1')
  #auth = randomBytes(16)

  constructor(endpoint: string) {
    this.endpoint = endpoint
    this.keys = { p256dh: this.#ecdh.generateKeys('base64url'), auth: this.#auth.toString('base64url') }
  }

  /** Subscribes with a signed-in browser; returns the id of the subscription. */
  async subscribe(
    browser: TestBrowser,
    audience: PushAudience,
    crewMemberId: string | null,
  ): Promise<string> {
    const { endpoint, keys } = this
    return (await browser.ok(api.push.subscribe, { body: { endpoint, keys, audience, crewMemberId } })).id
  }

  /** Title and body of each notification received; those of withdrawals begin with a dash. */
  get told(): string[] {
    return this.received.map(
      ({ notification: { title, body }, tableside }) => `${tableside.withdraw ? '– ' : ''}${title}: ${body}`,
    )
  }

  async receive(request: IncomingMessage, response: ServerResponse, audience: string): Promise<void> {
    this.attempts++
    const answer = await this.answer
    if (answer === 'never') return
    const { topic = '', urgency = '', ttl = '', authorization = '' } = request.headers
    try {
      checkSender(authorization, audience)
      const text = this.#decrypt(await buffer(request))
      if (answer < 300)
        this.received.push({
          ...JSON.parse(text),
          topic: String(topic),
          urgency: String(urgency),
          ttl: Number(ttl),
        })
      response.writeHead(answer).end()
    } catch (error) {
      response.writeHead(400).end(String(error))
    }
  }

  /** RFC 8291: the keys of the subscription open one aes128gcm record. */
  #decrypt(message: Buffer): string {
    const [salt, keyLength] = [message.subarray(0, 16), message.readUInt8(20)]
    const sender = message.subarray(21, 21 + keyLength)
    const sealed = message.subarray(21 + keyLength)
    const own = this.#ecdh.getPublicKey()
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender])
    const secret = derive(this.#ecdh.computeSecret(sender), this.#auth, info, 32)
    const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
    const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
    const decipher = createDecipheriv('aes-128-gcm', key, nonce)
    decipher.setAuthTag(sealed.subarray(-16))
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    // Everything after the last 2 is padding.
    return plain.subarray(0, plain.lastIndexOf(2)).toString()
  }
}

const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length))

/** RFC 8292: the sender signs with the key that the browser subscribed with, for this push service, for a day at most. */
function checkSender(authorization: string, audience: string): void {
  const [, token = '', k = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/u.exec(authorization) ?? []
  const [header = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(k, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const key = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' },
    format: 'jwk',
  })
  const signed = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const now = Date.now() / 1000
  if (!signed || aud !== audience || exp < now || exp > now + 86_400 || !/^(mailto|https):/u.test(sub))
    throw new Error('The signature of the sender is not valid')
}
