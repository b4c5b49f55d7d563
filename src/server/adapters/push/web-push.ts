import { createECDH } from 'node:crypto'
import { Agent } from 'node:https'
import type { PushMessage, PushOutcome, PushSender } from '../../ports/push.ts'
import { post } from '../outbound/post.ts'
import {
  createLookup,
  isPublicAddress,
  isPublicUrl,
  PrivateAddressError,
} from '../outbound/public-address.ts'

/** The VAPID key pair in base64url: browsers subscribe with the public key, the private key signs. */
export type PushKeys = { publicKey: string; privateKey: string }

type WebPushOptions = {
  keys: PushKeys
  /** Where a push service may reach the operator: an https or mailto address. */
  subject: string
  /** For tests: allows push services at private addresses with certificates of this authority. */
  privateService?: PrivatePushService | undefined
}

export type PrivatePushService = { ca: string }

export function generatePushKeys(): PushKeys {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  const [number, privateKey] = [pair.getPrivateKey(), Buffer.alloc(32)]
  number.copy(privateKey, privateKey.length - number.length)
  return { publicKey, privateKey: privateKey.toString('base64url') }
}

type Endpoint = Parameters<PushSender['send']>[0]

export function createWebPush({ keys, subject, privateService }: WebPushOptions): PushSender {
  const agent = new Agent({
    keepAlive: true,
    ...(privateService ? { ca: privateService.ca } : { lookup: createLookup(isPublicAddress) }),
  })
  const closing = new AbortController()

  /** Encrypts for the device only, so that the push service cannot read it. */
  async function encrypt(
    { endpoint, p256dh, auth }: Endpoint,
    { payload, topic, urgency, ttl }: PushMessage,
  ) {
    // Loaded on demand, since most installations never need it.
    const { default: library } = await import('web-push')
    return library.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
      vapidDetails: { subject, ...keys },
      contentEncoding: 'aes128gcm',
      TTL: ttl,
      topic,
      urgency,
    })
  }

  return {
    publicKey: keys.publicKey,
    async send(to, message) {
      const url = new URL(to.endpoint)
      if (!privateService && !isPublicUrl(url)) return 'gone'
      // Nothing can ever be encrypted for invalid keys.
      if (!hasUsableKeys(to)) return 'gone'
      try {
        const details = await encrypt(to, message)
        const { headers, body } = details
        return outcomeOf(await post(url, { headers, body, agent, signal: closing.signal }))
      } catch (error) {
        return error instanceof PrivateAddressError ? 'gone' : 'failed'
      }
    },
    close() {
      closing.abort()
      agent.destroy()
    },
  }
}

function outcomeOf(status: number): PushOutcome {
  if (status >= 200 && status < 300) return 'sent'
  return status === 404 || status === 410 ? 'gone' : 'failed'
}

function hasUsableKeys({ p256dh, auth }: Endpoint): boolean {
  const own = createECDH('prime256v1')
  own.generateKeys()
  try {
    own.computeSecret(p256dh, 'base64url')
  } catch {
    return false
  }
  return Buffer.from(auth, 'base64url').length >= 16
}
