import { createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../ports/secrets.ts'

export function createSecrets(): Secrets {
  return {
    newToken: () => randomBytes(24).toString('base64url'),
    newKey: () => randomBytes(32),
    newDigits: () => String(randomInt(1_000_000)).padStart(6, '0'),
    digest: (token) => hash('sha256', token, 'base64url'),
    sign: (key, text) =>
      createHmac('sha256', key).update(text).digest().subarray(0, 16).toString('base64url'),
    hmacSha1: (key, message) => createHmac('sha1', key).update(message).digest(),
    hmacSha256: (key, message) => createHmac('sha256', key).update(message).digest(),
    equal: (a, b) => timingSafeEqual(sha256(a), sha256(b)),
  }
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')
