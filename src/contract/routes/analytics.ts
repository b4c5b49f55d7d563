import * as v from 'valibot'
import { DayRange, type Figures, type DoneToday, type ExpectedTimes, type Overview } from '../analytics.ts'
import { type Routes, unchecked } from './route.ts'

export const analytics = {
  figures: {
    method: 'GET',
    path: '/api/analytics',
    query: DayRange,
    reply: unchecked<Figures>(),
  },
  overview: { method: 'GET', path: '/api/analytics/overview', reply: unchecked<Overview>() },
  doneToday: { method: 'GET', path: '/api/analytics/done-today', reply: unchecked<DoneToday>() },
  expectedTimes: {
    method: 'GET',
    path: '/api/analytics/expected-times',
    reply: unchecked<ExpectedTimes & { on: boolean }>(),
  },
  /** A file, downloaded through a plain link. */
  events: {
    method: 'GET',
    path: '/api/analytics/events.csv',
    query: DayRange,
    reply: v.string(),
  },
} satisfies Routes
