import * as v from 'valibot'
import { dayMs } from './durations.ts'
import { CalendarDate, Id, Timestamp } from './primitives.ts'
import { serviceTypes } from './requests.ts'

/** In days. */
const maxRangeDays = 3_660

/** How many days a range has, its first and its last among them. */
export const countDays = ({ from, to }: { from: string; to: string }): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1

/** Days of the restaurant's own time zone, both inclusive. */
export const DayRange = v.pipe(
  v.object({ from: CalendarDate, to: CalendarDate }),
  v.check(({ from, to }) => from <= to, 'Please choose a first day that is not after the last'),
  v.check((range) => countDays(range) <= maxRangeDays, `Please choose at most ${maxRangeDays} days`),
)
export type DayRange = v.InferOutput<typeof DayRange>

/**
 * How long things took, in milliseconds; null where nothing was measured. Percentiles by nearest rank: of n
 * values in ascending order the p-th percentile is number ⌈p/100 × n⌉, so it is always one that really happened.
 */
export const DurationSummary = v.nullable(
  v.object({
    count: v.number(),
    medianMs: v.number(),
    p90Ms: v.number(),
    p99Ms: v.number(),
    /** Rounded; never shown alone. */
    meanMs: v.number(),
  }),
)
export type DurationSummary = v.InferOutput<typeof DurationSummary>

/**
 * Of how many requests it can be told whether they were answered within the target of their type, and how many
 * were. One that nobody answered counts once it was open for longer than that.
 */
export const WithinTarget = v.object({ within: v.number(), of: v.number() })
export type WithinTarget = v.InferOutput<typeof WithinTarget>

export const Totals = v.object({
  /** Created in these days; a need asked again while it was open is one request. */
  requests: v.number(),
  /** All from a request's creation on. */
  times: v.object({
    /**
     * Until its acceptance, or until its completion when nobody accepted it. A released acceptance is none; one
     * that ran out because nobody said "done" counts.
     */
    response: DurationSummary,
    /** Until the first staff screen showed it. */
    unseen: DurationSummary,
    accepted: DurationSummary,
    completed: DurationSummary,
  }),
  withinTarget: WithinTarget,
  /** How often a table asked again for what it already waited for, and how many requests that were. */
  repeatedAsks: v.number(),
  askedAgain: v.number(),
  cancelled: v.number(),
  /** Raised by the ladder at least once. */
  escalated: v.number(),
  /** Whose guest said "Still waiting". */
  stillWaiting: v.number(),
})
export type Totals = v.InferOutput<typeof Totals>

const NamedPerson = v.object({ id: Id, name: v.string() })

/** The tables of one crew member. In the order of names: nobody is ranked. */
export const CrewSection = v.object({
  crewMember: NamedPerson,
  /** One table on one day is one; days to come are not counted. */
  tableDays: v.number(),
  requests: v.number(),
  /** The most requests that were open in it at one moment. */
  busiest: v.number(),
  /**
   * How much longer (or, negative, shorter) its guests waited than guests of all sections under the same load:
   * the median difference. Null for fewer than `leastForAdjusted` answered requests.
   */
  adjustedMs: v.nullable(v.number()),
})
export type CrewSection = v.InferOutput<typeof CrewSection>

export const minRequestsForAdjusted = 5

/** How many requests of a section were open when one came, itself among them; 4 is "4 or more". */
export const loadLevels = [1, 2, 3, 4] as const

export const Figures = v.object({
  range: v.object({ from: CalendarDate, to: CalendarDate }),
  /** As many days, just before. */
  before: v.object({ from: CalendarDate, to: CalendarDate }),
  timeZone: v.string(),
  /** When they were computed. */
  asOf: Timestamp,
  /** `own`: requests at the crew member's tables and those that the crew member answered, nothing else. */
  scope: v.picklist(['restaurant', 'own']),
  totals: Totals,
  previous: Totals,
  /** By the clock on the wall: 24 of them, also where a day has 23 or 25 hours. */
  byHour: v.array(v.object({ hour: v.number(), requests: v.number(), response: DurationSummary })),
  /** Every day of the range. */
  byDay: v.array(v.object({ day: CalendarDate, requests: v.number(), response: DurationSummary })),
  /** All six, in their usual order. */
  byType: v.array(
    v.object({
      serviceType: v.picklist(serviceTypes),
      requests: v.number(),
      response: DurationSummary,
      targetMs: v.number(),
      withinTarget: WithinTarget,
    }),
  ),
  /** Those with requests, as people count them. */
  byTable: v.array(
    v.object({
      tableNumber: v.string(),
      requests: v.number(),
      repeatedAsks: v.number(),
      response: DurationSummary,
      withinTarget: WithinTarget,
    }),
  ),
  sections: v.array(CrewSection),
  /** Requests outside of these sections: that nobody, or for `own` somebody else, was assigned to on their day. */
  unassigned: v.number(),
  /** What `adjustedMs` compares with: all sections together, by load. Empty for `own`. */
  byLoad: v.array(
    v.object({ load: v.picklist(loadLevels), requests: v.number(), response: DurationSummary }),
  ),
  /** Time in which no staff screen listened; null for `own`. */
  unheard: v.nullable(
    v.object({
      /** How much of the range is over, and not before the restaurant was there. */
      measuredMs: v.number(),
      ms: v.number(),
      /** The part of it in which at least one request of the range waited for an answer. */
      whileWaitingMs: v.number(),
      /** Requests made in it. */
      requests: v.number(),
    }),
  ),
})
export type Figures = v.InferOutput<typeof Figures>

/** Today on one screen; "before" are the seven days before today. */
export const Overview = v.object({
  day: CalendarDate,
  timeZone: v.string(),
  requestsToday: v.number(),
  /** In percent against the daily mean of the seven days before; null when they had none. */
  requestsChange: v.nullable(v.number()),
  averageResponseMs: v.nullable(v.number()),
  medianResponseMs: v.nullable(v.number()),
  /** In percent against the mean of all answered requests of the seven days before. */
  responseChange: v.nullable(v.number()),
  /** Tables that a crew member is assigned to today. */
  activeTables: v.number(),
  /** The active ones, as people count them. */
  tables: v.array(v.object({ tableNumber: v.string(), crewMember: NamedPerson, requests: v.number() })),
  /** Today's requests, newest first, at most 50. */
  latest: v.array(
    v.object({
      id: Id,
      tableNumber: v.string(),
      serviceType: v.picklist(serviceTypes),
      timestamp: Timestamp,
      state: v.picklist(['waiting', 'accepted', 'completed', 'cancelled']),
      asks: v.number(),
      responseMs: v.nullable(v.number()),
    }),
  ),
})
export type Overview = v.InferOutput<typeof Overview>

/** Whole percent, as every comparison on a screen has it; null where there is nothing to compare with. */
export function changeInPercent(now: number | null, before: number | null): number | null {
  if (now === null || before === null || before === 0) return null
  // Adding zero turns -0 into 0.
  return Math.round((now / before - 1) * 100) + 0
}

/** The first line of `events.csv`; what the columns hold, the server's writer says. */
export const eventColumns = [
  'record',
  'kind',
  'request_id',
  'table',
  'service_type',
  'at_utc',
  'at_local',
  'day',
  'actor_kind',
  'actor_id',
  'actor_name',
] as const
