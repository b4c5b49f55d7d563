import { isIP } from 'node:net'
import type { PasskeySite } from '../../../ports/sign-in.ts'
import type { Ctx } from '../../ctx.ts'
import { conflict } from '../../errors.ts'

/** Derived from the installation's configured address alone, never from a request. */
function passkeySite(publicUrl: string): PasskeySite | { unavailable: string } {
  const { hostname, protocol, origin } = new URL(publicUrl)
  if (isIP(hostname.replaceAll(/[[\]]/gu, '')) !== 0)
    return {
      unavailable: `Passkeys need an address with a name. This server’s address is a number: ${hostname}.`,
    }
  if (protocol !== 'https:' && hostname !== 'localhost')
    return {
      unavailable: `Passkeys need a secure address. This server’s address begins with http:// and not with https://.`,
    }
  return { rpId: hostname, origin }
}

/** Why this installation cannot offer passkeys, worded for owners and managers; null when it can. */
export function passkeyProblem({ settings }: Pick<Ctx, 'settings'>): string | null {
  const site = passkeySite(settings.publicUrl)
  return 'unavailable' in site ? site.unavailable : null
}

export function requirePasskeySite({ settings }: Pick<Ctx, 'settings'>): PasskeySite {
  const site = passkeySite(settings.publicUrl)
  if ('unavailable' in site) throw conflict(site.unavailable)
  return site
}

/** The host that passkeys are bound to; null when there can be none. */
export function passkeyHost(publicUrl: string): string | null {
  const site = passkeySite(publicUrl)
  return 'unavailable' in site ? null : site.rpId
}
