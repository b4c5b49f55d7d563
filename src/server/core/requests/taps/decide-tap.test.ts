import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { hourMs, minuteMs } from '#contract/durations.ts'
import type { Opening, OpeningSpan } from '#contract/guests/opening.ts'
import { Refusal } from '../../errors.ts'
import { decideTap, type TapFacts } from '../../guests/visits.ts'

type Decision = ReturnType<typeof decideTap> | Refusal['code']

/** The rules one by one, as README and specification say them; hours are those of London in winter. */
function decideNaively(
  { now, restaurant, visit, seating, muted, verified, need, openRequestId }: TapFacts,
  { hours, pauses }: Opening,
): Decision {
  const { startedAt = now, since = Infinity } = visit
  if (startedAt < now - 3 * hourMs) return 'visit_expired'
  const closedAt = seating?.closedAt ?? -1
  if (since <= closedAt) return 'visit_expired'
  if (muted) return 'table_muted'
  if (restaurant.verifiedOnly === 1 && !verified) return 'code_required'
  if (seating && seating.seatedAt === null) return 'table_closed'
  if (openRequestId !== null) return 'repeat'
  if (hours && !isOpenNaively(hours, now)) return 'closed'
  const isPaused = pauses.some(({ serviceType, until }) => serviceType === need && until > now)
  return isPaused ? 'need_paused' : 'new'
}

/** Whether any span holds this minute of the week, or did so when it began on Sunday and goes on into Monday. */
function isOpenNaively(hours: readonly (readonly OpeningSpan[])[], now: number): boolean {
  const date = new Date(now)
  const dayMinutes = 24 * 60
  const minute = ((date.getUTCDay() + 6) % 7) * dayMinutes + date.getUTCHours() * 60 + date.getUTCMinutes()
  return hours.some((spans, day) =>
    spans.some((span) => {
      const [from, to] = [minuteOf(span.from), minuteOf(span.to)]
      const start = day * dayMinutes + from
      const end = day * dayMinutes + to + (to > from ? 0 : dayMinutes)
      return [minute, minute + 7 * dayMinutes].some((each) => start <= each && each < end)
    }),
  )
}

const minuteOf = (time: string): number => {
  const [hours, minutes] = time.split(':').map(Number)
  return (hours ?? 0) * 60 + (minutes ?? 0)
}

const start = Date.parse('2025-01-06T00:00:00Z')
const aroundNow = (now: number) =>
  fc.integer({ min: -4 * 60, max: 10 }).map((minutes) => now + minutes * minuteMs)
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })
const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '30'))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`)
const hours = fc
  .array(fc.array(fc.record({ from: time, to: time }), { maxLength: 2 }), { minLength: 7, maxLength: 7 })
  .filter((days) => days.some((spans) => spans.length > 0))
const need = fc.constantFrom('drinks', 'check')

const facts = fc.integer({ min: 0, max: 7 * 24 * 60 - 1 }).chain((minutes) => {
  const now = start + minutes * minuteMs
  const before = aroundNow(now)
  return fc.record({
    now: fc.constant(now),
    startedAt: fc.option(before, { nil: undefined }),
    /** A party may have come to the table after its visit began. */
    movedAt: rarely(before),
    seating: rarely(
      fc.record({ seatedAt: fc.option(before), closedAt: fc.option(before), wantedAt: fc.constant(null) }),
    ),
    muted: rarely(fc.constant(true)).map((found) => found === true),
    verifiedOnly: fc.constantFrom(0 as const, 1 as const),
    verified: fc.boolean(),
    need,
    openRequestId: rarely(fc.constant('open')),
    hours: rarely(hours),
    pauses: fc.uniqueArray(
      fc.record({
        serviceType: need,
        until: before,
        reason: fc.constant('crew' as const),
        text: fc.constant(null),
      }),
      { maxLength: 2, selector: ({ serviceType }) => serviceType },
    ),
  })
})

it('decides as the rules say, one after the other', () => {
  const seen = new Map<Decision, number>()
  fc.assert(
    fc.property(facts, ({ startedAt, movedAt, verifiedOnly, hours: open, pauses, ...given }) => {
      const opening: Opening = { hours: open, pauses }
      const tap: TapFacts = {
        ...given,
        visit: { startedAt, since: startedAt === undefined ? undefined : (movedAt ?? startedAt) },
        restaurant: { verifiedOnly, timeZone: 'Europe/London', opening: JSON.stringify(opening) },
      }
      const decision = decide(tap)
      expect(decision).toBe(decideNaively(tap, opening))
      seen.set(decision, (seen.get(decision) ?? 0) + 1)
    }),
    { numRuns: 10_000 },
  )
  // None of them is out of reach.
  for (const decision of [
    'new',
    'repeat',
    'visit_expired',
    'table_muted',
    'code_required',
    'table_closed',
    'closed',
    'need_paused',
  ] as const)
    expect({ decision, often: (seen.get(decision) ?? 0) > 20 }).toEqual({ decision, often: true })
})

function decide(tap: TapFacts): Decision {
  try {
    return decideTap(tap)
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}
