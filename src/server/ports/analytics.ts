import type { DayRange, ExpectedTimes, Figures, Overview } from '#contract/analytics.ts'

/** The restaurant that a query is about, and where its days begin. */
export type AnalyticsContext = {
  restaurantId: string
  /** When the restaurant was created. */
  createdAt: number
  timeZone: string
  today: string
  now: number
  /** Limits the answer to this crew member; null for the management. */
  scope: string | null
}

export type AnalyticsQuery =
  | { kind: 'figures'; subject: AnalyticsContext; range: DayRange }
  | { kind: 'overview'; subject: AnalyticsContext }
  | { kind: 'expectedTimes'; subject: Pick<AnalyticsContext, 'restaurantId' | 'now'> }
  /** One day's lines of the range's file; those of the first day start with the header. */
  | { kind: 'events'; subject: AnalyticsContext; range: DayRange; day: string }

export type QueryOf<K extends AnalyticsQuery['kind']> = Extract<AnalyticsQuery, { kind: K }>

/**
 * Answers analytics queries outside the thread that serves guests and crew, because they read and aggregate a season's
 * requests at once.
 */
export type AnalyticsService = {
  figures(query: QueryOf<'figures'>): Promise<Figures>
  overview(query: QueryOf<'overview'>): Promise<Overview>
  expectedTimes(query: QueryOf<'expectedTimes'>): Promise<ExpectedTimes>
  /** UTF-8. */
  events(query: QueryOf<'events'>): Promise<Uint8Array>
  close(): Promise<void>
}
