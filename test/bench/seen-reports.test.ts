import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSeenReports } from '../../bench/systems/seen-reports.ts'

/** A longer message costs the screen its connection. */
const longestMessage = 16 * 1024

it('reports a long list in messages that the server takes', async () => {
  const ids = Array.from({ length: 500 }, () => randomUUID())
  const messages: string[] = []
  const reported: string[] = []
  const seen = createSeenReports(async (some) => {
    messages.push(JSON.stringify({ type: 'requests-seen', ids: some, ref: '1' }))
    reported.push(...some)
  })
  for (const id of ids) seen.shown(id)
  await expect.poll(() => reported).toEqual(ids)
  expect(Math.max(...messages.map((message) => message.length))).toBeLessThan(longestMessage)
})
