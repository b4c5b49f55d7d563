import * as v from 'valibot'
import { dayMs } from './durations.ts'
import { CalendarDate, Id, Timestamp } from './primitives.ts'
import {
  type ExpectedTime,
  type RequestNeed,
  ServiceRequest,
  type ServiceType,
  serviceTypes,
} from './requests/requests.ts'

/** In days. */
const maxRangeDays = 3_660

/** The number of days in a range, including the first and the last. */
export const countDays = ({ from, to }: { from: string; to: string }): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1

/** Days in the restaurant's time zone, both inclusive. */
export const DayRange = v.pipe(
  v.object({ from: CalendarDate, to: CalendarDate }),
  v.check(({ from, to }) => from <= to, 'Please choose a first day that is not after the last'),
  v.check((range) => countDays(range) <= maxRangeDays, `Please choose at most ${maxRangeDays} days`),
)
export type DayRange = v.InferOutput<typeof DayRange>

/**
 * Durations in milliseconds; null if nothing was measured. Percentiles use the nearest rank: of n values in ascending
 * order the p-th percentile is number ⌈p/100 × n⌉, so it is always a duration that really occurred.
 */
export const DurationSummary = v.nullable(
  v.object({
    count: v.number(),
    medianMs: v.number(),
    p90Ms: v.number(),
    p99Ms: v.number(),
    /** Rounded; never shown on its own. */
    meanMs: v.number(),
  }),
)
export type DurationSummary = v.InferOutput<typeof DurationSummary>

/**
 * How many requests can be judged by the target time of their type, and how many were answered within it. A request
 * that nobody answered is included once it has been open for longer than the target.
 */
export const WithinTarget = v.object({ within: v.number(), of: v.number() })
export type WithinTarget = v.InferOutput<typeof WithinTarget>

export const Totals = v.object({
  /** Requests created in these days. Asking again while one is open does not make another. */
  requests: v.number(),
  /** All measured from the request's creation. */
  times: v.object({
    /**
     * Until it was accepted, or until it was completed if nobody accepted it. An acceptance that was released does not
     * count; one that expired because nobody completed the request does.
     */
    response: DurationSummary,
    /** Until a staff screen first showed it. */
    unseen: DurationSummary,
    accepted: DurationSummary,
    completed: DurationSummary,
  }),
  withinTarget: WithinTarget,
  /** How often tables asked again for something they were already waiting for, and for how many requests. */
  repeatedAsks: v.number(),
  askedAgain: v.number(),
  cancelled: v.number(),
  /** Escalated automatically at least once. */
  escalated: v.number(),
  /** Requests whose guest said "Still waiting". */
  stillWaiting: v.number(),
})
export type Totals = v.InferOutput<typeof Totals>

const NamedPerson = v.object({ id: Id, name: v.string() })

/** The tables of one crew member. Sorted by name, so that nobody is ranked. */
export const CrewSection = v.object({
  crewMember: NamedPerson,
  /** Counts one for each table and day; future days are not included. */
  tableDays: v.number(),
  requests: v.number(),
  /** The highest number of requests open at the same time. */
  busiest: v.number(),
  /**
   * How much longer (or shorter, if negative) its guests waited than guests of all sections under the same load:
   * the median difference. Null for fewer than `leastForAdjusted` answered requests.
   */
  adjustedMs: v.nullable(v.number()),
})
export type CrewSection = v.InferOutput<typeof CrewSection>

export const minRequestsForAdjusted = 5

/** How many requests of a section were open when one arrived, including that one; 4 means "4 or more". */
export const loadLevels = [1, 2, 3, 4] as const

/**
 * Two hours of a weekday are compared with all others if at least `answered` requests were answered in them, on at least
 * `days` days; and only if there are at least `pairs` such pairs of hours.
 */
export const slowTimeRule = { hours: 2, answered: 10, days: 2, pairs: 3 }

/** What can be said about when guests wait longest; null as long as too little is known. */
export const Pace = v.nullable(
  v.object({
    /** The median of all answered requests. */
    medianMs: v.number(),
    /** Null if none differs from the others by more than chance explains. */
    slowest: v.nullable(
      v.object({
        /** 0 is Monday. */
        weekday: v.number(),
        fromHour: v.number(),
        answered: v.number(),
        medianMs: v.number(),
      }),
    ),
  }),
)
export type Pace = v.InferOutput<typeof Pace>

export const Figures = v.object({
  range: v.object({ from: CalendarDate, to: CalendarDate }),
  /** The same number of days, immediately before. */
  before: v.object({ from: CalendarDate, to: CalendarDate }),
  /** Requests from before this day were removed, as the owner has set; null if none were. */
  keptFrom: v.nullable(CalendarDate),
  /** The day of the restaurant's first request; null if there is none, or if it may have been removed. */
  firstDay: v.nullable(CalendarDate),
  timeZone: v.string(),
  /** When these figures were computed. */
  asOf: Timestamp,
  /** `own`: only requests at the crew member's tables and those that the crew member answered. */
  scope: v.picklist(['restaurant', 'own']),
  totals: Totals,
  /** The totals of as many days before; null if not all of them are kept, or if some were before the first request. */
  previous: v.nullable(Totals),
  /** By local time: always 24 entries, even if a day has 23 or 25 hours. */
  byHour: v.array(v.object({ hour: v.number(), requests: v.number(), response: DurationSummary })),
  /** By local weekday (0 is Monday) and hour, in this order: only hours with requests. */
  byWeekHour: v.array(
    v.object({
      weekday: v.number(),
      hour: v.number(),
      requests: v.number(),
      response: DurationSummary,
    }),
  ),
  pace: Pace,
  /** One entry for every day of the range. */
  byDay: v.array(v.object({ day: CalendarDate, requests: v.number(), response: DurationSummary })),
  /** All six types, in their usual order, without needs of the restaurant's own. */
  byType: v.array(
    v.object({
      serviceType: v.picklist(serviceTypes),
      requests: v.number(),
      response: DurationSummary,
      targetMs: v.number(),
      withinTarget: WithinTarget,
    }),
  ),
  /** Needs of the restaurant's own, as it last called them, the most frequent first; missing if nobody asked for any. */
  byNeed: v.optional(
    v.array(
      v.object({
        need: v.custom<RequestNeed>(() => true),
        requests: v.number(),
        response: DurationSummary,
        targetMs: v.number(),
        withinTarget: WithinTarget,
      }),
    ),
  ),
  /** Only tables with requests, in natural order. */
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
  /**
   * Requests outside these sections: at tables that nobody (for `own`: or somebody else) was assigned to that day, or
   * that were deleted since.
   */
  unassigned: v.number(),
  /** What `adjustedMs` compares with: all sections together, by load. Empty for `own`. */
  byLoad: v.array(
    v.object({ load: v.picklist(loadLevels), requests: v.number(), response: DurationSummary }),
  ),
  /** Time during which no staff screen was listening; null for `own`. */
  unheard: v.nullable(
    v.object({
      /** How much of the range has passed, not counting time before the restaurant existed. */
      measuredMs: v.number(),
      ms: v.number(),
      /** The part of it during which at least one request of the range was waiting for an answer. */
      whileWaitingMs: v.number(),
      /** Requests made during it. */
      requests: v.number(),
    }),
  ),
})
export type Figures = v.InferOutput<typeof Figures>

/** Today at a glance, compared with the seven days before. A server of the version before leaves out what is optional. */
export const Overview = v.object({
  day: CalendarDate,
  timeZone: v.string(),
  requestsToday: v.number(),
  /** As many of them as the crew has completed. */
  completedToday: v.number(),
  /** As many as still wait, or have somebody on the way. */
  openToday: v.optional(v.number()),
  /** As many as their table has asked for more than once. */
  askedAgainToday: v.optional(v.number()),
  /**
   * Change in percent against the daily mean of the seven days before; null if they had none, or if some of these days
   * were before the first request that is kept.
   */
  requestsChange: v.nullable(v.number()),
  averageResponseMs: v.nullable(v.number()),
  medianResponseMs: v.nullable(v.number()),
  withinTarget: v.optional(WithinTarget),
  /** Change in percent against the mean of all answered requests of the seven days before; null as `requestsChange` is. */
  responseChange: v.nullable(v.number()),
  /** Tables with a crew member assigned today. */
  activeTables: v.number(),
  /** The active tables, in natural order. */
  tables: v.array(v.object({ tableNumber: v.string(), crewMember: NamedPerson, requests: v.number() })),
  /** Today's requests, newest first, at most 50. */
  latest: v.array(
    v.object({
      id: Id,
      tableNumber: v.string(),
      serviceType: v.picklist(serviceTypes),
      need: ServiceRequest.entries.need,
      choice: ServiceRequest.entries.choice,
      timestamp: Timestamp,
      state: v.picklist(['waiting', 'accepted', 'completed', 'cancelled']),
      asks: v.number(),
      responseMs: v.nullable(v.number()),
    }),
  ),
})
export type Overview = v.InferOutput<typeof Overview>

/** What the whole crew has done today, about which every screen may tell. */
export type DoneToday = Pick<Overview, 'medianResponseMs'> & {
  done: number
  /** The end of the restaurant's day, in epoch milliseconds. */
  until: number
}

/** Similar requests: for the same need, when about as many others were open. */
export type SimilarRequests = {
  serviceType: ServiceType
  /** One of the restaurant's own, as it last called it. */
  need?: RequestNeed
  /** How many others; `to` is null for any number more. */
  others: { from: number; to: number | null }
  /** The last ones that were completed, at most 200, without which nothing is expected. */
  requests: number
  /** What guests read; null where too little is known, or the times differ too much. */
  expected: ExpectedTime | null
}

/** How long requests take, and what became of what guests were told about it in the last 30 days. */
export type ExpectedTimes = {
  similar: SimilarRequests[]
  /** `kept`: completed no later than they were told. */
  kept: { serviceType: ServiceType; need?: RequestNeed; told: number; kept: number }[]
}

/** A whole percentage, as every comparison on a screen shows it; null if there is nothing to compare with. */
export function changeInPercent(now: number | null, before: number | null): number | null {
  if (now === null || before === null || before === 0) return null
  // Adding zero turns -0 into 0.
  return Math.round((now / before - 1) * 100) + 0
}

/** The header line of `events.csv`. The server's writer defines what the columns hold. */
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
