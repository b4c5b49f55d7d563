import { expect, it } from 'vitest'
import { newId } from './new-id.ts'

it('a new id is a unique UUIDv7, and later ones sort after earlier ones', () => {
  const ids = Array.from({ length: 1000 }, (_, index) => newId(1_800_000_000_000 + index))
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  expect(ids.filter((id) => !form.test(id))).toEqual([])
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(Array.from({ length: 1000 }, () => newId(0))).size).toBe(1000)
})
