/** A UUIDv7. `crypto.randomUUID` is missing where the page is served without https. */
export function newId(now: number): string {
  const time = now.toString(16).padStart(12, '0')
  const random = newSecret()
  const variant = '89ab'[Number.parseInt(random[20] ?? '', 16) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(3, 6)}-${random.slice(6, 18)}`
}

/** 128 random bits, in 32 hexadecimal digits. */
export const newSecret = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
