import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { isLoopback } from '../http/client-address.ts'
import { type Check, note, ok, problem, warning } from './check.ts'
import { builtPages } from './start-server.ts'

/** What the settings, which are valid each by itself, say together. */
export function checkSettings(config: Config): Check[] {
  const { production, publicUrl, guestLimits } = config
  const isPublic = publicUrl.startsWith('https:')
  return [
    ok('settings', 'All of them are valid'),
    existsSync(builtPages)
      ? ok('pages', 'The pages of guests and crews are built')
      : problem('pages', 'The pages of guests and crews are not built yet. Please run: npm run build'),
    ...(isPublic && !production
      ? [
          warning(
            'settings',
            'PUBLIC_URL is public, but NODE_ENV is not production. Please set NODE_ENV=production',
          ),
        ]
      : []),
    ...(guestLimits
      ? []
      : [
          warning(
            'settings',
            'GUEST_LIMITS=off: a single phone can flood the crew. It is meant for load tests',
          ),
        ]),
    ...checkPublicUrl(config),
    ...checkProxies(config),
    ...checkPushes(config),
  ]
}

function checkPublicUrl({ publicUrl, production }: Config): Check[] {
  const { protocol, hostname } = new URL(publicUrl)
  if (protocol === 'https:') return []
  if (isThisMachine(hostname)) {
    const text = `Only this machine can open ${publicUrl}. For guests, set PUBLIC_URL to the address that they open`
    return [production ? problem('public url', text) : note('public url', text)]
  }
  return [
    warning(
      'public url',
      `${publicUrl} is not https: passwords cross the network unencrypted, and cameras, passkeys and alerts on sleeping phones do not work`,
    ),
  ]
}

const isThisMachine = (hostname: string): boolean =>
  hostname === 'localhost' || isLoopback(hostname.replaceAll(/[[\]]/gu, ''))

/** The server itself speaks no TLS: behind https there is a proxy. */
function checkProxies({ publicUrl, trustProxy }: Config): Check[] {
  if (trustProxy.some((proxy) => proxy.endsWith('/0')))
    return [
      problem(
        'proxy',
        'TRUST_PROXY trusts everybody: anyone can claim any address and so escape every limit. Please name your proxy',
      ),
    ]
  if (trustProxy.length > 0) return [ok('proxy', `Addresses are trusted from ${trustProxy.join(', ')}`)]
  if (!publicUrl.startsWith('https:'))
    return [note('proxy', 'No proxy is named, so no address that one reports is trusted')]
  return [
    problem(
      'proxy',
      'PUBLIC_URL is https, so a proxy stands before the server, but TRUST_PROXY does not name it: all guests seem to come from one address and share its limits. Please set TRUST_PROXY, such as TRUST_PROXY=loopback',
    ),
  ]
}

function checkPushes({ publicUrl }: Config): Check[] {
  if (publicUrl.startsWith('https:') || isThisMachine(new URL(publicUrl).hostname)) return []
  return [warning('push', 'Browsers allow alerts on sleeping phones only on https')]
}
