import * as v from 'valibot'
import { DayRange, type Figures, type Overview } from '../analytics.ts'
import { CrewChange, CrewDetails, CrewMember, NewCrewMember } from '../crew.ts'
import {
  BulkAssignments,
  DatedAssignment,
  HostStandAssignments,
  NewTable,
  Table,
  TableAssignment,
  TableSetup,
} from '../floor.ts'
import { CalendarDate, Id, textField } from '../primitives.ts'
import { NewPushSubscription, PushKey, PushSubscriptionRef } from '../push.ts'
import { idParams, type Routes } from './route.ts'

/** For replies whose schemas would be too large for every page that uses these routes: the server is trusted. */
const unchecked = <T>(): v.GenericSchema<T> => v.custom<T>(() => true)

const restaurantQuery = v.object({ restaurantId: textField('Restaurant not found', 200) })

export const crew = {
  byRestaurant: {
    method: 'GET',
    path: '/api/crew-by-restaurant',
    query: restaurantQuery,
    reply: v.array(CrewMember),
  },
  list: { method: 'GET', path: '/api/crew', reply: v.array(CrewMember) },
  details: { method: 'GET', path: '/api/crew/:id', params: idParams, reply: CrewDetails },
  add: { method: 'POST', path: '/api/crew', body: NewCrewMember, reply: CrewMember, status: 201 },
  change: { method: 'PATCH', path: '/api/crew/:id', params: idParams, body: CrewChange, reply: CrewMember },
  remove: { method: 'DELETE', path: '/api/crew/:id', params: idParams },
} satisfies Routes

export const floor = {
  tablesByRestaurant: {
    method: 'GET',
    path: '/api/tables-by-restaurant',
    query: restaurantQuery,
    reply: v.array(Table),
  },
  crewAssignments: {
    method: 'GET',
    path: '/api/crew-assignments',
    query: v.object({ ...restaurantQuery.entries, crewMemberId: Id, date: CalendarDate }),
    reply: v.array(DatedAssignment),
  },
  tables: { method: 'GET', path: '/api/tables', reply: v.array(Table) },
  hostStand: { method: 'GET', path: '/api/host-stand', reply: Table },
  assignmentsByDate: {
    method: 'GET',
    path: '/api/table-assignments-by-date',
    query: v.object({ date: CalendarDate }),
    reply: v.array(TableAssignment),
  },
  assign: {
    method: 'POST',
    path: '/api/table-assignments/bulk',
    body: BulkAssignments,
    reply: v.array(TableAssignment),
  },
  /** Also returns the day as it was `before`, so that the copy can be undone. */
  copyFromPrevious: {
    method: 'POST',
    path: '/api/table-assignments/copy-from-previous',
    body: v.object({ date: CalendarDate }),
    reply: v.object({ before: v.array(TableAssignment), assignments: v.array(TableAssignment) }),
  },
  copyToWeek: {
    method: 'POST',
    path: '/api/table-assignments/copy-to-week',
    body: v.object({ sourceDate: CalendarDate }),
  },
  assignHostStand: {
    method: 'POST',
    path: '/api/host-stand-assignments',
    body: HostStandAssignments,
    reply: v.array(TableAssignment),
  },
  setUp: {
    method: 'POST',
    path: '/api/tables/setup',
    body: TableSetup,
    reply: v.array(Table),
    status: 201,
  },
  addTable: { method: 'POST', path: '/api/tables', body: NewTable, reply: Table, status: 201 },
  removeTable: {
    method: 'DELETE',
    path: '/api/tables/:id',
    params: idParams,
    query: v.object({ confirm: v.optional(v.picklist(['true', 'false'])) }),
  },
} satisfies Routes

export const analytics = {
  figures: {
    method: 'GET',
    path: '/api/analytics',
    query: DayRange,
    reply: unchecked<Figures>(),
  },
  overview: { method: 'GET', path: '/api/analytics/overview', reply: unchecked<Overview>() },
  /** A file, downloaded through a plain link. */
  events: {
    method: 'GET',
    path: '/api/analytics/events.csv',
    query: DayRange,
    reply: v.string(),
  },
} satisfies Routes

export const push = {
  key: { method: 'GET', path: '/api/push-key', reply: PushKey },
  subscribe: {
    method: 'POST',
    path: '/api/push-subscriptions',
    body: NewPushSubscription,
    reply: PushSubscriptionRef,
    status: 201,
  },
  unsubscribe: { method: 'DELETE', path: '/api/push-subscriptions/:id', params: idParams },
} satisfies Routes
