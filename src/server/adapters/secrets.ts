import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../core/ports.ts'

export function createSecrets(): Secrets {
  return {
    newToken: () => randomBytes(24).toString('base64url'),
    newDigits: () => String(randomInt(1_000_000)).padStart(6, '0'),
    digest: (token) => sha256(token).toString('base64url'),
    sign: (key, text) =>
      createHmac('sha256', key).update(text).digest().subarray(0, 16).toString('base64url'),
    hmacSha1: (key, message) => createHmac('sha1', key).update(message).digest(),
    equal: (a, b) => timingSafeEqual(sha256(a), sha256(b)),
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
