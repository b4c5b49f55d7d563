import * as v from 'valibot'
import { CrewChange, type CrewDetails, CrewMember, NewCrewMember } from '../crew/crew.ts'
import { type DeletedItem, RestoredMember, RestoredTable } from '../deleted-items.ts'
import {
  BulkAssignments,
  DatedAssignment,
  DayChange,
  HostStandAssignments,
  NewTable,
  Table,
  TableAssignment,
  TableSetup,
  WeekCopy,
} from '../floor/floor.ts'
import type { FloorPlan } from '../floor/sections.ts'
import { CalendarDate, Id, TableNumber, textField } from '../primitives.ts'
import {
  NewPushSubscription,
  PushAction,
  type PushActionReply,
  PushKey,
  PushSubscriptionRef,
} from '../push.ts'
import type { Party, PastRequest } from '../requests/requests.ts'
import { type Seating, type TableClosed, TableToClose, TableToSeat } from '../requests/seating.ts'
import { idParams, type Routes, unchecked } from './route.ts'

const restaurantQuery = v.object({ restaurantId: textField('Restaurant not found', 200) })

export const crew = {
  byRestaurant: {
    method: 'GET',
    path: '/api/crew-by-restaurant',
    query: restaurantQuery,
    reply: v.array(CrewMember),
  },
  list: { method: 'GET', path: '/api/crew', reply: v.array(CrewMember) },
  details: { method: 'GET', path: '/api/crew/:id', params: idParams, reply: unchecked<CrewDetails>() },
  add: { method: 'POST', path: '/api/crew', body: NewCrewMember, reply: CrewMember, status: 201 },
  change: { method: 'PATCH', path: '/api/crew/:id', params: idParams, body: CrewChange, reply: CrewMember },
  remove: { method: 'DELETE', path: '/api/crew/:id', params: idParams },
  /** What can still be restored, latest first. */
  deleted: { method: 'GET', path: '/api/deleted-crew', reply: unchecked<DeletedItem[]>() },
  restore: {
    method: 'POST',
    path: '/api/deleted-crew/:id/restore',
    params: idParams,
    body: RestoredMember,
    reply: CrewMember,
  },
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
    body: DayChange,
    reply: unchecked<{ before: TableAssignment[]; assignments: TableAssignment[] }>(),
  },
  copyToWeek: {
    method: 'POST',
    path: '/api/table-assignments/copy-to-week',
    body: WeekCopy,
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
  deletedTables: { method: 'GET', path: '/api/deleted-tables', reply: unchecked<DeletedItem[]>() },
  restoreTable: {
    method: 'POST',
    path: '/api/deleted-tables/:id/restore',
    params: idParams,
    body: RestoredTable,
    reply: Table,
  },
} satisfies Routes

export const tables = {
  /** What the table asked for in the last 90 minutes, latest first. */
  history: {
    method: 'GET',
    path: '/api/table-history',
    query: v.object({ tableNumber: TableNumber }),
    reply: unchecked<PastRequest[]>(),
  },
  party: {
    method: 'GET',
    path: '/api/table-party',
    query: v.object({ tableNumber: TableNumber }),
    reply: unchecked<Party>(),
  },
  /** The sections of the floor, and which tables are in them. */
  plan: { method: 'GET', path: '/api/floor-plan', reply: unchecked<FloorPlan>() },
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
  act: { method: 'POST', path: '/api/push-actions', body: PushAction, reply: unchecked<PushActionReply>() },
} satisfies Routes

export const seating = {
  list: { method: 'GET', path: '/api/seating', reply: unchecked<Seating>() },
  open: { method: 'POST', path: '/api/seating/open', body: TableToSeat },
  close: { method: 'POST', path: '/api/seating/close', body: TableToClose, reply: unchecked<TableClosed>() },
  /** Within 10 seconds. */
  undoClose: { method: 'POST', path: '/api/seating/undo-close', body: TableToSeat },
} satisfies Routes
