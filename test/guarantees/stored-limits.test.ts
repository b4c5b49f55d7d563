import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dayMs, minuteMs } from '#contract/durations.ts'
import { createMemoryRateLimits } from '../../src/server/adapters/rate-limits.ts'
import { createSecrets } from '../../src/server/adapters/secrets.ts'
import { limitRules } from '../../src/server/core/limits/limit-rules.ts'
import { createStoredLimits } from '../../src/server/core/limits/stored-limits.ts'
import type { LimitKey, LimitName, Limits } from '../../src/server/ports/limits.ts'
import { openDatabase } from '../../src/server/storage/engine/database.ts'
import type { Database } from '../../src/server/storage/engine/types.ts'
import * as limitCounts from '../../src/server/storage/limit-counts.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'

let time: number
let database: TestDatabase
let db: Database
let others: Limits
let limits: Limits
beforeEach(async () => {
  time = 1_800_000_000_000
  database = await freshDatabase()
  db = await openDatabase(database.url)
  others = createMemoryRateLimits({ guests: true, now: () => time })
  limits = open()
})
afterEach(async () => {
  await db.close()
  await database.drop()
})

const secrets = createSecrets()
const open = () =>
  createStoredLimits({ db, now: () => time, digest: (text) => secrets.sign('key', text), others })

const outcome = (attempt: Promise<void>): Promise<unknown> =>
  attempt.then(
    () => 'taken',
    (error: unknown) => error,
  )

async function takesAtOnce(from: Limits[], key: LimitKey, attempts: number): Promise<number> {
  const outcomes = await Promise.all(
    Array.from({ length: attempts }, (_, index) =>
      outcome((from[index % from.length] ?? limits).take(...key)),
    ),
  )
  return outcomes.filter((each) => each === 'taken').length
}

const removeEnded = (until: number) =>
  db.transact((inside) => limitCounts.removeEnded(inside, { until, limit: 500 }))
const stored = () => db.reader.selectFrom('limitCount').selectAll().execute()

describe('limits that servers share in the database', () => {
  it.each<LimitName>(['login', 'login-device', 'pin-browser', 'new-name-hour', 'device-code'])(
    '%s: never let more through, however many attempts come at once',
    async (name) => {
      const { max, windowMs } = limitRules[name]
      const both = [limits, open()]
      expect(await takesAtOnce(both, [name, 'k'], 3 * max)).toBe(max)
      time += windowMs - 1
      expect(await takesAtOnce(both, [name, 'k'], 2)).toBe(0)
      time += 1
      expect(await takesAtOnce(both, [name, 'k'], 3 * max)).toBe(max)
      expect(await takesAtOnce(both, [name, 'other'], 3)).toBe(3)
    },
  )

  it('refuse in the words of a server alone', async () => {
    const alone = createMemoryRateLimits({ guests: true, now: () => time })
    for (const each of [limits, alone]) for (let tries = 0; tries < 5; tries++) await each.take('login', 'k')
    time += 30_000
    const [ours, theirs] = await Promise.all([
      outcome(limits.take('login', 'k')),
      outcome(alone.take('login', 'k')),
    ])
    expect(ours).toEqual(theirs)
    expect(await outcome(limits.check('login', 'k'))).toEqual(theirs)
  })

  it('count no check, and forget what is cleared', async () => {
    for (let looks = 0; looks < 9; looks++) await limits.check('pin', 'k')
    expect(await takesAtOnce([limits], ['pin', 'k'], 9)).toBe(5)
    await limits.clear('pin', 'k')
    expect(await takesAtOnce([limits], ['pin', 'k'], 9)).toBe(5)
  })

  it('take all or nothing', async () => {
    const both: LimitKey[] = [
      ['mailed-code', 'restaurant'],
      ['mailed-code-address', 'owner@example.com'],
    ]
    for (let mails = 0; mails < 5; mails++) await limits.takeAll(both)
    expect(await outcome(limits.takeAll(both))).toMatchObject({ code: 'rate_limited' })
    expect((await stored()).map(({ count }) => count)).toEqual([5, 5])
  })

  it('store neither names nor addresses, and nothing after its time', async () => {
    await limits.take('login-address', '203.0.113.7')
    expect(JSON.stringify(await stored())).not.toContain('203')
    await removeEnded(time + limitRules['login-address'].windowMs - 1)
    expect(await stored()).toHaveLength(1)
    await removeEnded(time + limitRules['login-address'].windowMs)
    expect(await stored()).toEqual([])
  })

  it('refuse nobody for longer because the clock was set back', async () => {
    const { max, windowMs } = limitRules.login
    time += 30 * dayMs
    expect(await takesAtOnce([limits], ['login', 'k'], max + 1)).toBe(max)
    // By as much as the clocks of two servers may differ, it goes on.
    time -= minuteMs
    expect(await outcome(limits.check('login', 'k'))).toMatchObject({ code: 'rate_limited' })
    expect(await takesAtOnce([limits], ['login', 'k'], 1)).toBe(0)
    time -= 30 * dayMs
    expect(await outcome(limits.check('login', 'k'))).toBe('taken')
    expect(await takesAtOnce([limits], ['login', 'k'], max + 1)).toBe(max)
    time += windowMs
    expect(await takesAtOnce([limits], ['login', 'k'], 1)).toBe(1)
  })

  it('leave what guests do to the others', async () => {
    await limits.take('guest-device', 'phone')
    expect(await stored()).toEqual([])
    for (let taps = 1; taps < 12; taps++) await others.take('guest-device', 'phone')
    expect(await outcome(limits.check('guest-device', 'phone'))).toMatchObject({ code: 'rate_limited' })
    await limits.clear('guest-device', 'phone')
    await limits.takeAll([['guest-device', 'phone']])
  })
})
