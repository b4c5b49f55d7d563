import type { Secrets } from '../ports.ts'

const stepMs = 30_000
/** How many steps a phone's clock may be ahead or behind. */
const allowedDrift = 1

/** RFC 6238 with SHA-1 and six digits, which every authenticator app knows. */
export function totpCode({ hmacSha1 }: Secrets, secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = hmacSha1(secret, counter)
  const at = mac.readUInt8(mac.length - 1) & 0xf
  return String((mac.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

/** Which step around now a code is of; nothing when it is of none. */
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

/** As authenticator apps want a secret; its length is a multiple of five bytes. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/gu, (five) => base32Letters.charAt(Number.parseInt(five, 2)))
}
