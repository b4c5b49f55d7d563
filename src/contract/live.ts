import * as v from 'valibot'
import { Pin } from './crew.ts'
import { ErrorBody } from './errors.ts'
import { NewTeamMessage, TeamMessage } from './messages.ts'
import { MutedTable, TableToMute } from './mutes.ts'
import { Id, TableNumber } from './primitives.ts'
import { Break, NewRoleCall, RoleCall } from './shift.ts'
import {
  Barrier,
  By,
  ClosedRequest,
  CodeProof,
  GivenRestaurant,
  NewServiceRequest,
  ServiceRequest,
} from './requests.ts'

/** Any short string of the client's; the answer to its message carries it back. */
const ref = v.optional(v.pipe(v.string(), v.maxLength(64)))

const fromClient = <const T extends string, E extends v.ObjectEntries>(type: T, entries: E) =>
  v.object({ type: v.literal(type), ref, ...entries })

export const ClientMessage = v.variant('type', [
  fromClient('service-request', NewServiceRequest.entries),
  fromClient('set-restaurant-context', {
    restaurantId: GivenRestaurant,
    tableNumber: v.optional(TableNumber),
    k: CodeProof,
  }),
  fromClient('set-crew-member-context', { crewMemberId: Id, pin: v.optional(Pin) }),
  fromClient('update-assigned-tables', { tables: v.pipe(v.array(TableNumber), v.maxLength(500)) }),
  fromClient('get-pending-requests', {}),
  fromClient('get-team-messages', {}),
  fromClient('complete-request', { id: Id }),
  fromClient('send-team-message', NewTeamMessage.entries),
  fromClient('delete-team-message', { messageId: Id }),
  fromClient('accept-request', { id: Id }),
  fromClient('release-request', { id: Id }),
  fromClient('reopen-request', { id: Id }),
  fromClient('requests-seen', { ids: v.pipe(v.array(Id), v.maxLength(500)) }),
  fromClient('listening', { sound: v.boolean(), push: v.boolean(), visible: v.optional(v.boolean(), true) }),
  fromClient('start-break', { coverId: v.nullable(Id) }),
  fromClient('end-break', {}),
  /** What one is on the way to goes to a colleague; null gives it back to everybody. */
  fromClient('hand-over-requests', { toId: v.nullable(Id) }),
  fromClient('send-role-message', NewRoleCall.entries),
  fromClient('claim-role-message', { id: Id }),
  fromClient('mute-table', TableToMute.entries),
  fromClient('unmute-table', { tableNumber: TableNumber }),
  fromClient('ping', {}),
])
export type ClientMessage = v.InferOutput<typeof ClientMessage>
/** What a client writes: defaults may be left out. */
export type OutgoingMessage = v.InferInput<typeof ClientMessage>

/** The number of this event in its stream; a gap means something was missed. */
const seq = v.optional(v.number())

const fromServer = <const T extends string, E extends v.ObjectEntries>(type: T, entries: E) =>
  v.object({ type: v.literal(type), seq, ...entries })

export const ServerMessage = v.variant('type', [
  fromServer('new-request', { request: ServiceRequest }),
  fromServer('request-updated', { request: ServiceRequest }),
  fromServer('request-completed', {
    id: Id,
    by: v.nullable(By),
    cancelled: v.optional(v.literal(true)),
  }),
  /** Oldest first; `recent` are the last 20 that are over, latest first. `seq` is where the stream stands. */
  fromServer('pending-requests', {
    requests: v.array(ServiceRequest),
    recent: v.array(ClosedRequest),
    /** Calls to a role that nobody claimed yet, oldest first. */
    calls: v.optional(v.array(RoleCall)),
    breaks: v.optional(v.array(Break)),
    muted: v.optional(v.array(MutedTable)),
  }),
  /** A new call, or one that alerts again. */
  fromServer('role-message', { call: RoleCall }),
  fromServer('role-message-claimed', { id: Id, by: By }),
  /** All breaks, whenever one begins or ends. */
  fromServer('breaks', { breaks: v.array(Break) }),
  /** All muted tables, whenever one begins or ends to be. */
  fromServer('muted-tables', { tables: v.array(MutedTable) }),
  /** To a table's guests: whether they may ask has changed, so look anew. */
  fromServer('table-changed', {}),
  fromServer('team-message', { message: TeamMessage }),
  /** Newest first. */
  fromServer('team-messages-history', { messages: v.array(TeamMessage) }),
  fromServer('team-message-deleted', { messageId: Id }),
  /** Whether anybody can hear a request right now, and how many staff screens are listening. */
  fromServer('presence', { listening: v.boolean(), screens: v.number() }),
  fromServer('ack', {
    ref,
    request: v.optional(ServiceRequest),
    requests: v.optional(v.array(ServiceRequest)),
    listening: v.optional(v.boolean()),
    barrier: v.optional(v.nullable(Barrier)),
    message: v.optional(TeamMessage),
    call: v.optional(RoleCall),
  }),
  fromServer('error', { ref, ...ErrorBody.entries }),
])
export type ServerMessage = v.InferOutput<typeof ServerMessage>

export type MessageOf<U extends { type: string }, T extends U['type']> = Extract<U, { type: T }>

/** Why the server closed a socket. */
export const closeCodes = {
  /** The server restarts or asks for a fresh start: come back soon. */
  restart: 1012,
  flooding: 1008,
  /** The session behind the socket ended: sign in again. */
  signedOut: 4401,
  tooMany: 4429,
} as const
