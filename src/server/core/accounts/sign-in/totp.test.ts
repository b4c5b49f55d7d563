import { describe, expect, it } from 'vitest'
import { secrets } from '../../../../../test/support/restaurants/authenticator.ts'
import { base32, totpCode, findTotpStep } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

describe('a time-based code', () => {
  // Appendix B of RFC 6238, the last six of its eight digits.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('is at second %i %s', (second, code) => {
    expect(totpCode(secrets, secret, Math.floor(second / 30))).toBe(code)
  })

  it('is valid one step before and after its own, with or without spaces', () => {
    const at = (step: number) => findTotpStep(secrets, secret, '081 804', step * 30_000)
    const own = Math.floor(1_111_111_109 / 30)
    expect([own - 2, own - 1, own, own + 1, own + 2].map(at)).toEqual([undefined, own, own, own, undefined])
    expect(findTotpStep(secrets, secret, '', own * 30_000)).toBeUndefined()
  })

  it('comes from a secret that apps read as base32', () => {
    expect(base32(secret)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  })
})
