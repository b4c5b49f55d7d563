import { secondMs } from '#contract/durations.ts'
import type { Secrets } from '../../../ports/secrets.ts'

const stepMs = 30 * secondMs
/** How many steps a phone's clock may be ahead or behind. */
const allowedDrift = 1

/** RFC 6238 with SHA-1 and six digits, which every authenticator app supports. */
export function totpCode({ hmacSha1 }: Secrets, secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = hmacSha1(secret, counter)
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

/** The time step that a code belongs to, if it is close to the present. */
export function findTotpStep(
  secrets: Secrets,
  secret: Buffer,
  code: string,
  now: number,
): number | undefined {
  const current = Math.floor(now / stepMs)
  const typed = code.replaceAll(/\s/gu, '')
  for (let step = current - allowedDrift; step <= current + allowedDrift; step++)
    if (secrets.equal(totpCode(secrets, secret, step), typed)) return step
  return undefined
}

const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 without padding, so the length must be a multiple of five bytes. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/gu, (five) => base32Letters.charAt(Number.parseInt(five, 2)))
}
