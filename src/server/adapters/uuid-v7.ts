import { randomFillSync } from 'node:crypto'

/**
 * Generates UUIDv7 ids that sort in the order of their creation, even within one millisecond and when the clock is set
 * back. Node's own `randomUUIDv7` is ordered between milliseconds only.
 */
export function createUuidV7Generator(now: () => number): () => string {
  let time = 0
  let count = 0
  // One system call serves many ids.
  const pool = Buffer.alloc(4_000)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const random = pool.subarray(used, (used += 10))
    const currentTime = Math.floor(now())
    if (currentTime > time) {
      time = currentTime
      // Half of the counter's range stays free for what follows in the same millisecond.
      count = random.readUInt16BE(0) & 0x7ff
    } else if (++count > 0xfff) {
      time += 1
      count = 0
    }
    const timestamp = time.toString(16).padStart(12, '0')
    const variant = ((random.readUInt16BE(2) & 0x3fff) | 0x8000).toString(16)
    return [
      timestamp.slice(0, 8),
      timestamp.slice(8),
      `7${count.toString(16).padStart(3, '0')}`,
      variant,
      random.toString('hex', 4, 10),
    ].join('-')
  }
}
