// @vitest-environment jsdom
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { stubBrowserWebSocket } from '../support/pages/jsdom-socket.ts'

it.each(['none', 'one of its own'])(
  'finds no server for its live channel where the next test has %s',
  async (server) => {
    if (server !== 'none') stubBrowserWebSocket()
    const [{ code }] = await once(new WebSocket(`ws://${location.host}/ws`), 'close')
    expect(code).toBe(1006)
  },
)
