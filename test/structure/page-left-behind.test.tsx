// @vitest-environment jsdom
import { once } from 'node:events'
import { expect, it } from 'vitest'

it('finds no server for its live channel once its test is over', async () => {
  const [{ code }] = await once(new WebSocket(`ws://${location.host}/ws`), 'close')
  expect(code).toBe(1006)
})
