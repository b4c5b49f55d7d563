import ipaddr from 'ipaddr.js'
import type { DeliveryOutcome, Outbound } from '../../ports/outbound.ts'
import { NoAnswerError, post, responseTimeoutMs } from './post.ts'
import { createLookup, isPublicAddress, literalAddress, PrivateAddressError } from './public-address.ts'

const notAllowed =
  'Only https addresses on the public internet are reached. Whoever runs this server can allow others.'

/** `allow` names the exceptions: host names, addresses and networks that are reached in any case. */
export function createOutbound(allow: readonly string[]): Outbound {
  const hosts = new Set(allow.map((entry) => entry.toLowerCase()))
  const networks = allow.map(parseNetwork).filter((network) => network !== null)
  const closing = new AbortController()

  const isAllowedNetwork = (address: string): boolean => {
    const parsed = ipaddr.process(address)
    return networks.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits))
  }

  const isAllowed = (url: URL, address: string): boolean =>
    hosts.has(url.hostname) ||
    isAllowedNetwork(address) ||
    (isSecureDefaultPort(url) && isPublicAddress(address))

  function problem(url: URL): string | null {
    const address = literalAddress(url)
    if (address !== null) return isAllowed(url, address) ? null : notAllowed
    const mayResolveToAllowed = hosts.has(url.hostname) || networks.length > 0 || isSecureDefaultPort(url)
    return mayResolveToAllowed ? null : notAllowed
  }

  return {
    problem,
    async post(url, { headers, body }): Promise<DeliveryOutcome> {
      const refused = problem(url)
      if (refused !== null) return { problem: refused }
      const lookup = createLookup((address) => isAllowed(url, address))
      try {
        const status = await post(url, { headers, body, lookup, signal: closing.signal })
        return { problem: status >= 200 && status < 300 ? null : describeStatus(status) }
      } catch (error) {
        return { problem: describeError(error) }
      }
    },
    close: () => closing.abort(),
  }
}

const isSecureDefaultPort = ({ protocol, port }: URL): boolean => protocol === 'https:' && port === ''

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** Null for a host name. */
function parseNetwork(entry: string): Network | null {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
  if (!ipaddr.isValid(entry)) return null
  const address = ipaddr.parse(entry)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

const describeStatus = (status: number): string =>
  status >= 300 && status < 400
    ? `It answered ${status}: redirects are not followed`
    : `It answered ${status}`

function describeError(error: unknown): string {
  if (error instanceof NoAnswerError) return `It did not answer within ${responseTimeoutMs / 1000} seconds`
  if (error instanceof PrivateAddressError) return notAllowed
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOTFOUND') return 'There is no server of this name'
  if (code === 'ECONNREFUSED') return 'It refused the connection'
  if (/CERT|SELF_SIGNED|ALTNAME/u.test(code)) return 'Its certificate is not valid'
  return 'It could not be reached'
}
