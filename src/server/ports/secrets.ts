export type Secrets = {
  /** 192 random bits, base64url. */
  newToken(): string
  /** 256 random bits. */
  newKey(): Buffer
  /** Six random digits. */
  newDigits(): string
  /** SHA-256, base64url. */
  digest(token: string): string
  /** The first 128 bits of HMAC-SHA256, base64url. */
  sign(key: string, text: string): string
  /** For authenticator apps, which support nothing newer. */
  hmacSha1: (key: Buffer, message: Buffer) => Buffer
  /** For webhooks. */
  hmacSha256: (key: Buffer, message: string) => Buffer
  /** In constant time. */
  equal(a: string, b: string): boolean
}
