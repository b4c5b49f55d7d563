import { describe, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { setUpApp } from '../../../../test/support/app.ts'
import type { Restaurant } from '../../../../test/support/restaurants/busy-restaurant.ts'

const app = setUpApp()

const range = { from: '2026-01-01', to: '2026-03-31' }

describe('analytics queries', () => {
  /** Queries 90 days at once, as an owner's screen does. */
  async function asks(restaurant: Restaurant) {
    const restaurantId = await app.idOf(restaurant)
    const now = app.now()
    const subject = { restaurantId, createdAt: 0, timeZone: 'UTC', today: '2026-04-01', now, scope: null }
    return {
      figures: () => app.ctx.analytics.figures({ kind: 'figures', subject, range }),
      day: (day: string) => app.ctx.analytics.events({ kind: 'events', subject, range, day }),
    }
  }

  it('of one restaurant let the others go first, and beyond 30 are refused with a message', async () => {
    const noisy = await asks(await app.restaurant())
    const quiet = await asks(await app.restaurant())
    // Starts the thread and opens its connections.
    await Promise.all([noisy.figures(), quiet.figures()])
    const done: string[] = []
    const flood = Array.from({ length: 40 }, () =>
      noisy.figures().then(
        () => done.push('noisy'),
        (error: Error) => done.push(error.message),
      ),
    )
    await quiet.figures()
    expect(done.filter((word) => word === 'noisy').length).toBeLessThanOrEqual(10)
    await Promise.all(flood)
    expect(done.filter((word) => word === 'noisy')).toHaveLength(31)
    expect(done.filter((word) => word !== 'noisy')).toEqual(
      Array.from({ length: 9 }, () =>
        expect.stringMatching(
          /^Many figures of your restaurant are being worked out already\. Please try again in \d+ seconds?\.$/u,
        ),
      ),
    )
  })

  it('that continue a file are never refused', async () => {
    const noisy = await asks(await app.restaurant())
    await noisy.figures()
    const flood = Promise.allSettled(Array.from({ length: 40 }, () => noisy.figures()))
    await expect(noisy.day('2026-01-01')).rejects.toThrow('Many figures of your restaurant')
    await noisy.day('2026-01-02')
    await flood
  })
})

it('a file whose download stalls does not hold up other queries', async () => {
  const slow = await app.restaurant()
  const other = await app.restaurant()
  const path = `/api/analytics/events.csv?from=${range.from}&to=${range.to}`
  const unread = await Promise.all(Array.from({ length: 20 }, () => slow.owner.fetch(path)))
  expect(unread.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  for (const { owner } of [slow, other]) await owner.ok(api.analytics.figures, { query: range })
  expect(await (await other.owner.fetch(path)).text()).toContain('\n')
  for (const file of unread) await file.body?.cancel()
})
