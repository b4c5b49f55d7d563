import { describe, expect, it } from 'vitest'
import { createUuidV7Generator } from './uuid-v7.ts'

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
