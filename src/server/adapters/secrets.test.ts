import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSecrets } from './secrets.ts'

const secrets = createSecrets()

describe('secrets', () => {
  it('generates unique tokens of 192 bits', () => {
    const tokens = Array.from({ length: 1000 }, () => secrets.newToken())
    expect(new Set(tokens).size).toBe(1000)
    expect(tokens.every((token) => /^[\w-]{32}$/.test(token))).toBe(true)
  })

  it('digests tokens with SHA-256', () => {
    expect(secrets.digest('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
  })

  it('signs with 128 bits in 22 characters, which depend on key and text', () => {
    const whole = createHmac('sha256', 'key').update('text').digest()
    expect(secrets.sign('key', 'text')).toBe(whole.subarray(0, 16).toString('base64url'))
    expect(secrets.sign('key', 'text')).toHaveLength(22)
    expect(secrets.sign('other', 'text')).not.toBe(secrets.sign('key', 'text'))
  })

  it('compares texts of any length', () => {
    expect(secrets.equal('same', 'same')).toBe(true)
    expect(secrets.equal('same', 'other')).toBe(false)
    expect(secrets.equal('same', 'same but longer')).toBe(false)
    expect(secrets.equal('', '')).toBe(true)
  })
})
