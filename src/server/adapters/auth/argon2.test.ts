import { parseOptions } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../../core/errors.ts'
import { createArgon2Passwords } from './argon2.ts'

const turn = { of: 'one address' }
const cheap = { memoryCost: 64, timeCost: 1, parallelism: 1 }

describe('passwords', () => {
  it('are hashed with argon2id and the parameters that OWASP recommends', async () => {
    const hash = await createArgon2Passwords().hash('correct horse', turn)
    expect(hash).toMatch(/^\$argon2id\$/)
    expect(parseOptions(hash)).toMatchObject({ memoryCost: 19_456, timeCost: 2, parallelism: 1, saltLen: 16 })
  })

  it('match only their own hash', async () => {
    const passwords = createArgon2Passwords(cheap)
    const hash = await passwords.hash('correct horse', turn)
    expect(await passwords.verify(hash, 'correct horse', turn)).toBe(true)
    expect(await passwords.verify(hash, 'Correct horse', turn)).toBe(false)
    expect(await passwords.hash('correct horse', turn)).not.toBe(hash)
  })

  it('never match if the account does not exist', async () => {
    const passwords = createArgon2Passwords(cheap)
    expect(await passwords.verify(null, 'nobody', turn)).toBe(false)
    expect(await passwords.verify(null, '', turn)).toBe(false)
  })

  it('are recognized as common regardless of case', () => {
    const passwords = createArgon2Passwords(cheap)
    for (const password of ['123456', 'password', 'PassWord', 'qwerty', 'iloveyou', 'letmein'])
      expect([password, passwords.isCommon(password)]).toEqual([password, true])
    expect(passwords.isCommon('correct horse battery')).toBe(false)
  })

  it('are hashed two at a time, with twenty in the queue, and refused beyond that', async () => {
    const passwords = createArgon2Passwords(cheap)
    await passwords.verify(null, 'the first hash is made', turn)
    const results = await Promise.allSettled(
      Array.from({ length: 25 }, () => passwords.hash('correct horse', turn)),
    )
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(refused).toEqual(
      Array.from(
        { length: 3 },
        () =>
          new Refusal('unavailable', 'Many people are signing in right now. Please try again in 1 second.', {
            retryAfter: 1,
          }),
      ),
    )
    expect(await passwords.hash('correct horse', turn)).toMatch(/^\$argon2id\$/)
  })

  it('of other clients are not refused when one client sends many', async () => {
    const passwords = createArgon2Passwords(cheap)
    await passwords.verify(null, 'the first hash is made', turn)
    const hash = (of: string) => passwords.hash('correct horse', { of })
    const flood = Promise.allSettled(Array.from({ length: 40 }, () => hash('a flood')))
    expect(await Promise.all([hash('somebody'), hash('somebody else')])).toHaveLength(2)
    // Two ran and twenty waited; two of those lost their places.
    expect((await flood).filter((result) => result.status === 'rejected')).toHaveLength(20)
  })

  it('of one account, guessed from many addresses, leave a part of the queue to others', async () => {
    const passwords = createArgon2Passwords(cheap)
    const hash = await passwords.hash('correct horse', turn)
    await passwords.verify(null, 'the first hash is made', turn)
    const guesses = Array.from({ length: 30 }, (_, address) =>
      passwords.verify(hash, 'guess', { of: String(address), account: 'guessed at' }),
    )
    const others = Array.from({ length: 5 }, (_, address) =>
      passwords.hash('correct horse', { of: `other ${address}`, account: `of ${address}` }),
    )
    expect(
      (await Promise.allSettled(guesses)).filter((result) => result.status === 'fulfilled'),
    ).toHaveLength(17)
    expect(await Promise.all(others)).toHaveLength(5)
  })
})
