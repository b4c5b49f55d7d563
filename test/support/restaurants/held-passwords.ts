import { onTestFinished } from 'vitest'
import type { TestApp } from '../app.ts'

/** Holds back the result of the next password check or hash until it is released, or the test ends. */
export function holdPasswords({ ctx }: Pick<TestApp, 'ctx'>, what: 'verify' | 'hash') {
  const { passwords } = ctx
  const original = passwords[what] as (...given: unknown[]) => Promise<unknown>
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const held = async (...given: unknown[]) => {
    Object.assign(passwords, { [what]: original })
    const result = await original(...given)
    reached.resolve()
    await released.promise
    return result
  }
  Object.assign(passwords, { [what]: held })
  // Otherwise the server of a test that fails meanwhile would never stop.
  onTestFinished(() => released.resolve())
  return { reached: reached.promise, release: () => released.resolve() }
}
