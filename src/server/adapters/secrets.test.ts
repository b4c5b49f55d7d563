import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createUuidV7Generator, createSecrets } from './secrets.ts'

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

describe('ids', () => {
  it('are UUIDs of version 7, which contain the time', () => {
    const id = createUuidV7Generator(() => 1_700_000_000_123)()
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(1_700_000_000_123)
  })

  it('sort in order of creation, even within a millisecond and when the clock is set back', () => {
    let time = 1_700_000_000_000
    const newId = createUuidV7Generator(() => time)
    const ids = Array.from({ length: 20_000 }, (_, made) => {
      if (made === 10_000) time -= 5000
      if (made === 15_000) time += 60_000
      return newId()
    })
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(20_000)
  })
})
