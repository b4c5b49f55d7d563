import { lookup as resolve } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

export class PrivateAddressError extends Error {}

/** Signed-in users choose the address, so it must lead to the internet, never to a machine near the server. */
export function isPublicUrl(url: URL): boolean {
  const address = literalAddress(url)
  return url.port === '' && (address === null || isPublicAddress(address))
}

/** The address that stands in a URL instead of a name: it is never looked up. */
export function literalAddress({ hostname }: URL): string | null {
  const address = hostname.replace(/^\[|\]$/gu, '')
  return isIP(address) === 0 ? null : address
}

/** The connection goes to an address that was checked, whatever the name resolves to a moment later. */
export const createLookup =
  (isAllowed: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const allowed = error ? [] : addresses.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (error) callback(error, '')
      else if (!first) callback(new PrivateAddressError('a private address'), '')
      else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }

/**
 * Parsed as it stands: `process` would turn an IPv4 address inside an IPv6 one into a public address. The library has
 * no range for the deprecated `::/96`, where IPv4 addresses hide too.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  const hidesIPv4 = parsed instanceof ipaddr.IPv6 && parsed.parts.slice(0, 6).every((part) => part === 0)
  return parsed.range() === 'unicast' && !hidesIPv4
}
