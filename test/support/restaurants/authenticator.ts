import { createSecrets } from '../../../src/server/adapters/secrets.ts'
import { totpCode } from '../../../src/server/core/accounts/sign-in/totp.ts'

export const secrets = createSecrets()

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code that an authenticator app with this secret shows. */
export function currentCode(secret: string, at: number): string {
  const bits = Array.from(secret, (letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const bytes = (bits.match(/.{8}/gu) ?? []).map((eight) => Number.parseInt(eight, 2))
  return totpCode(secrets, Buffer.from(bytes), Math.floor(at / 30_000))
}
