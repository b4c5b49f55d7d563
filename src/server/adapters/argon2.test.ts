import { parseOptions } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../core/errors.ts'
import { argon2Passwords } from './argon2.ts'

const cheap = { memoryCost: 64, timeCost: 1, parallelism: 1 }

describe('passwords', () => {
  it('are kept as argon2id with the parameters that OWASP advises', async () => {
    const hash = await argon2Passwords().hash('correct horse')
    expect(hash).toMatch(/^\$argon2id\$/)
    expect(parseOptions(hash)).toMatchObject({ memoryCost: 19_456, timeCost: 2, parallelism: 1, saltLen: 16 })
  })

  it('open what they were set for, and nothing else', async () => {
    const passwords = argon2Passwords(cheap)
    const hash = await passwords.hash('correct horse')
    expect(await passwords.verify(hash, 'correct horse')).toBe(true)
    expect(await passwords.verify(hash, 'Correct horse')).toBe(false)
    expect(await passwords.hash('correct horse')).not.toBe(hash)
  })

  it('never open an account that does not exist', async () => {
    const passwords = argon2Passwords(cheap)
    expect(await passwords.verify(null, 'nobody')).toBe(false)
    expect(await passwords.verify(null, '')).toBe(false)
  })

  it('are refused when everybody uses them, in any case', () => {
    const passwords = argon2Passwords(cheap)
    for (const password of ['123456', 'password', 'PassWord', 'qwerty', 'iloveyou', 'letmein'])
      expect([password, passwords.isCommon(password)]).toEqual([password, true])
    expect(passwords.isCommon('correct horse battery')).toBe(false)
  })

  it('are worked on two at a time, with twenty in the queue, and beyond that refused', async () => {
    const passwords = argon2Passwords(cheap)
    await passwords.verify(null, 'the first hash is made')
    const asked = await Promise.allSettled(Array.from({ length: 25 }, () => passwords.hash('correct horse')))
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused).toEqual(
      Array.from(
        { length: 3 },
        () =>
          new Refusal('unavailable', 'Many people are signing in right now. Please try again in a moment.', {
            retryAfter: 2,
          }),
      ),
    )
    expect(await passwords.hash('correct horse')).toMatch(/^\$argon2id\$/)
  })
})
