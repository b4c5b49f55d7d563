import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Refusal } from '../core/errors.ts'
import type { LimitName } from '../ports/limits.ts'
import { createMemoryRateLimits } from './rate-limits.ts'

const minutes = 60_000
let time = 0
const open = (guests = true) => createMemoryRateLimits({ guests, now: () => time })

async function takesUntilRefused(
  limits: ReturnType<typeof open>,
  name: LimitName,
  key = 'k',
): Promise<number> {
  for (let taken = 0; taken < 1000; taken++) {
    const refused = await limits.take(name, key).then(
      () => false,
      () => true,
    )
    if (refused) return taken
  }
  return Number.POSITIVE_INFINITY
}

const refusalOf = (refused: Promise<void>): Promise<unknown> =>
  refused.then(
    () => null,
    (error: unknown) => error,
  )

describe('limits', () => {
  it.each<[LimitName, number, number]>([
    ['guest-device', 12, 10 * minutes],
    ['guest-table', 20, 10 * minutes],
    ['guest-address', 600, 10 * minutes],
    ['guest-restaurant', 240, minutes],
    ['guest-still-waiting-device', 60, 10 * minutes],
    ['guest-miss-device', 20, 10 * minutes],
    ['guest-miss-address', 400, 10 * minutes],
    ['guest-link-miss', 60, 10 * minutes],
    ['login', 5, 15 * minutes],
    ['login-address', 100, 60 * minutes],
    ['login-account', 50, 24 * 60 * minutes],
    ['login-device', 5, 15 * minutes],
    ['pin', 5, 15 * minutes],
    ['pin-browser', 10, 24 * 60 * minutes],
    ['pin-member', 50, 24 * 60 * minutes],
    ['new-name-hour', 10, 60 * minutes],
    ['new-name-day', 30, 24 * 60 * minutes],
    ['new-name-all', 30, minutes],
    ['code-sheet', 20, minutes],
    ['restaurant-export', 5, 60 * minutes],
  ])('%s: %d in %d ms', async (name, takes, ms) => {
    const limits = open()
    expect(await takesUntilRefused(limits, name)).toBe(takes)
    time += ms - 1
    expect(await takesUntilRefused(limits, name)).toBe(0)
    time += 1
    expect(await takesUntilRefused(limits, name)).toBe(takes)
  })

  it('counts each key separately', async () => {
    const limits = open()
    await takesUntilRefused(limits, 'guest-device', 'phone 1')
    expect(await takesUntilRefused(limits, 'guest-device', 'phone 2')).toBe(12)
    expect(await takesUntilRefused(limits, 'guest-table', 'phone 1')).toBe(20)
  })

  it('does not count checks, which refuse as an attempt would be refused', async () => {
    const limits = open()
    for (let looked = 0; looked < 20; looked++) await limits.check('login', 'k')
    expect(await takesUntilRefused(limits, 'login')).toBe(5)
    expect(await refusalOf(limits.check('login', 'k'))).toEqual(await refusalOf(limits.take('login', 'k')))
  })

  it('forgets a key that is cleared', async () => {
    const limits = open()
    await takesUntilRefused(limits, 'login')
    await limits.clear('login', 'k')
    await limits.check('login', 'k')
    expect(await takesUntilRefused(limits, 'login')).toBe(5)
  })

  it('says when to try again, in its message and in seconds', async () => {
    const limits = open()
    for (const name of ['guest-device', 'login', 'login-account'] as const)
      await takesUntilRefused(limits, name)
    time += 30_000
    const [guest, login, account] = await Promise.all(
      (['guest-device', 'login', 'login-account'] as const).map((name) => refusalOf(limits.take(name, 'k'))),
    )
    expect(guest).toEqual(
      new Refusal(
        'rate_limited',
        'You have asked many times in a short while. Please wait 10 minutes and try again.',
        { retryAfter: 570, params: { seconds: 570 } },
      ),
    )
    expect(login).toEqual(
      new Refusal('rate_limited', 'Too many attempts. Please try again in 15 minutes.', {
        retryAfter: 870,
        params: { seconds: 870 },
      }),
    )
    expect(account).toMatchObject({ message: 'Too many attempts. Please try again in 24 hours.' })
    time += 14 * minutes
    expect(await refusalOf(limits.check('login', 'k'))).toMatchObject({
      message: 'Too many attempts. Please try again in 30 seconds.',
      retryAfter: 30,
    })
  })

  it('lasts no longer after the clock of the server is set back', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const limits = createMemoryRateLimits({ guests: true })
    expect(await takesUntilRefused(limits, 'guest-table')).toBe(20)
    vi.setSystemTime(Date.now() - 60 * minutes)
    vi.advanceTimersByTime(10 * minutes - 1)
    expect(await takesUntilRefused(limits, 'guest-table')).toBe(0)
    vi.advanceTimersByTime(1)
    expect(await takesUntilRefused(limits, 'guest-table')).toBe(20)
  })

  it('exempts only guests if guests are not limited', async () => {
    const limits = open(false)
    expect(await takesUntilRefused(limits, 'guest-device')).toBe(Number.POSITIVE_INFINITY)
    expect(await takesUntilRefused(limits, 'login')).toBe(5)
  })

  it('forgets the oldest keys of a limit beyond 50,000', async () => {
    const limits = open()
    const keys = Array.from({ length: 50_000 }, (_, key) => String(key))
    for (const key of keys) for (let taken = 0; taken < 5; taken++) await limits.take('pin', key)
    const remembers = (key: string) =>
      limits.check('pin', key).then(
        () => false,
        () => true,
      )
    expect(await Promise.all(['0', '4999', '5000', '49999'].map(remembers))).toEqual([true, true, true, true])
    await limits.take('pin', 'one more')
    expect(await Promise.all(['0', '4999', '5000', '49999'].map(remembers))).toEqual([
      false,
      false,
      true,
      true,
    ])
  })
})
