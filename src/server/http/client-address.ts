import type { IncomingMessage } from 'node:http'
import proxyaddr from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'

/** Returns the address that a request counts for in limits. `X-Forwarded-For` is trusted only from known proxies. */
export function createClientAddress(trustProxy: string[]): (request: IncomingMessage) => string {
  const trust = proxyaddr.compile(trustProxy)
  return (request) => addressPrefix(proxyaddr(request, trust))
}

/** The whole IPv4 address, or the /64 of an IPv6 address, which is what providers assign to one customer. */
export function addressPrefix(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const groups = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${groups.join(':')}::/64`
}

/** Whether the address is a loopback address. */
export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
