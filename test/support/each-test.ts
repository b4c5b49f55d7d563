import { beforeEach } from 'vitest'

/** Starts something before each test, and stops it after. Returns how the test reads what is running. */
export function startForEachTest<T>(
  start: () => Promise<{ running: T; stop: () => Promise<unknown> }>,
): () => T {
  let current: { running: T } | undefined
  beforeEach(async () => {
    const started = await start()
    current = started
    return async () => void (await started.stop())
  })
  return () => {
    if (!current) throw new Error('Nothing is running yet')
    return current.running
  }
}
