import { isIP } from 'node:net'
import type { CreatedCredential, PasskeyAssertion } from '#contract/passkeys.ts'
import type { Ctx } from './context.ts'
import { conflict } from './errors.ts'

/** Where a passkey belongs: `rpId` is the host that it is made for, `origin` the page that may use it. */
type PasskeySite = { rpId: string; origin: string }

type Expected = PasskeySite & { challenge: string }

/** Checks what browsers answer. Both ask for user verification; null means that it is not what was asked for. */
export type WebAuthn = {
  verifyCreated(
    credential: CreatedCredential,
    expected: Expected,
  ): Promise<{ credentialId: string; publicKey: string; counter: number } | null>
  /** `counter` is how often the authenticator says that it was used. */
  verifyAssertion(
    assertion: PasskeyAssertion,
    expected: Expected,
    publicKey: string,
  ): Promise<{ counter: number } | null>
}

/** The installation's own address alone decides, whatever a request says of itself. */
function siteOf(publicUrl: string): PasskeySite | { unavailable: string } {
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

/** Why there can be no passkeys here, in words for owners and managers; null where there can. */
export function whyNoPasskeys({ settings }: Pick<Ctx, 'settings'>): string | null {
  const site = siteOf(settings.publicUrl)
  return 'unavailable' in site ? site.unavailable : null
}

export function requirePasskeySite({ settings }: Pick<Ctx, 'settings'>): PasskeySite {
  const site = siteOf(settings.publicUrl)
  if ('unavailable' in site) throw conflict(site.unavailable)
  return site
}

/** The host that passkeys are made for; null where there can be none. */
export function passkeyHost(publicUrl: string): string | null {
  const site = siteOf(publicUrl)
  return 'unavailable' in site ? null : site.rpId
}
