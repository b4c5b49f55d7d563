import { createECDH } from 'node:crypto'
import { lookup as resolve, type LookupAddress } from 'node:dns'
import { Agent, request } from 'node:https'
import { BlockList, type IPVersion, isIP, isIPv6, type LookupFunction } from 'node:net'
import type { PushSender, PushMessage, PushOutcome } from '../../core/ports.ts'

/** base64url, as VAPID has them: what browsers subscribe with, and what signs. */
export type PushKeys = { publicKey: string; privateKey: string }

type WebPushOptions = {
  keys: PushKeys
  /** Whom a push service may write to: an https or mailto address. */
  subject: string
  /** For tests: push services at private addresses, whose certificates this one signed. */
  privateService?: PrivatePushService | undefined
}

export type PrivatePushService = { ca: string }

const responseTimeoutMs = 10_000
const maxResponseBytes = 10_000

export function generatePushKeys(): PushKeys {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  const [number, privateKey] = [pair.getPrivateKey(), Buffer.alloc(32)]
  number.copy(privateKey, privateKey.length - number.length)
  return { publicKey, privateKey: privateKey.toString('base64url') }
}

type Endpoint = Parameters<PushSender['send']>[0]

export function createWebPush({ keys, subject, privateService: trust }: WebPushOptions): PushSender {
  const agent = new Agent({
    keepAlive: true,
    ...(trust ? { ca: trust.ca } : { lookup: publicLookup }),
  })
  const closing = new AbortController()

  /** Encrypted for that device alone: the push service in between reads nothing of it. */
  async function encrypt(
    { endpoint, p256dh, auth }: Endpoint,
    { payload, topic, urgency, ttl }: PushMessage,
  ) {
    // Most installations never load it.
    const { default: library } = await import('web-push')
    return library.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
      vapidDetails: { subject, ...keys },
      contentEncoding: 'aes128gcm',
      TTL: ttl,
      topic,
      urgency,
    })
  }

  function post(url: URL, headers: Record<string, string>, body: Buffer): Promise<number> {
    return new Promise((answered, failed) => {
      const { signal } = closing
      const sending = request(url, { method: 'POST', headers, agent, signal }, (response) => {
        answered(response.statusCode ?? 0)
        // What else it says is of no use to us, and may be endless.
        let length = 0
        response.on('data', (chunk: Buffer) => {
          length += chunk.length
          if (length > maxResponseBytes) response.destroy()
        })
        response.on('error', () => {})
      })
      const timer = setTimeout(() => sending.destroy(new Error('no answer')), responseTimeoutMs)
      sending.once('close', () => clearTimeout(timer))
      sending.on('error', failed)
      sending.end(body)
    })
  }

  return {
    publicKey: keys.publicKey,
    async send(to, message) {
      const url = new URL(to.endpoint)
      if (!trust && !isPublicUrl(url)) return 'gone'
      // Keys that are none: nothing can ever be sent there.
      if (!hasUsableKeys(to)) return 'gone'
      try {
        const details = await encrypt(to, message)
        return outcomeOf(await post(url, details.headers, details.body))
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

/** Whether there is anything to encrypt with. */
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

class PrivateAddressError extends Error {}

/** Whoever is signed in tells us where to send: it must lead out into the world, never to a neighbour of ours. */
function isPublicUrl({ hostname, port }: URL): boolean {
  const address = hostname.replace(/^\[|\]$/gu, '')
  return port === '' && (isIP(address) === 0 || isPublicAddress(address))
}

const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    const found = error ? [] : addresses.filter(({ address }) => isPublicAddress(address))
    const [first] = found
    if (error) callback(error, '')
    else if (!first) callback(new PrivateAddressError('a private address'), '')
    else if (options.all) callback(null, found)
    else callback(null, first.address, first.family)
  })
}

export function isPublicAddress(address: LookupAddress['address']): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  return !specialNetworks(family).check(address, family)
}

/** One list for each family: one with IPv4 inside IPv6 in it takes every IPv4 address for its own. */
const blockLists = new Map<IPVersion, BlockList>()

function specialNetworks(family: IPVersion): BlockList {
  const known = blockLists.get(family)
  if (known) return known
  const list = new BlockList()
  for (const [network, bits] of specialRanges[family]) list.addSubnet(network, bits, family)
  blockLists.set(family, list)
  return list
}

/** Everything that IANA keeps for a special purpose; of IPv6 also where an IPv4 address hides in it. */
const specialRanges: Record<IPVersion, [network: string, bits: number][]> = {
  ipv4: [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ],
  ipv6: [
    ['::', 96],
    ['::ffff:0:0', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['100::', 64],
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
    ['5f00::', 16],
    ['fc00::', 7],
    ['fe80::', 10],
    ['fec0::', 10],
    ['ff00::', 8],
  ],
}
