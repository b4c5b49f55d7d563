import * as v from 'valibot'
import { AlarmSet } from './accounts/restaurants.ts'
import { Pin } from './crew/crew.ts'
import { NewTeamMessage, TeamMessage } from './crew/messages.ts'
import { Break, NewRoleCall, RoleCall } from './crew/shift.ts'
import { dayMs } from './durations.ts'
import { ErrorBody } from './errors.ts'
import { Id, TableNumber } from './primitives.ts'
import { MutedTable, TableToMute } from './requests/muted-tables.ts'
import {
  availabilityFields,
  Barrier,
  PersonRef,
  ClosedAs,
  ClosedRequest,
  NoteCut,
  PrintedCodeProof,
  RestaurantRef,
  NewServiceRequest,
  PartyMove,
  ServiceRequest,
  type TableRequests,
} from './requests/requests.ts'

/** Any short string chosen by the client; the answer to its message repeats it. */
const ref = v.optional(v.pipe(v.string(), v.maxLength(64)))

/**
 * How long ago it was tapped: a tap that waited for the connection neither does again what was taken back meanwhile, nor
 * takes back what others have done, nor completes what guests have asked for meanwhile.
 */
const ageMs = v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(dayMs)), 0)

const clientMessage = <const T extends string, E extends v.ObjectEntries>(type: T, entries: E) =>
  v.object({ type: v.literal(type), ref, ...entries })

/** The stream's last number that the screen has: if nothing came after it, the `ack` says so instead of a list. */
const since = v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)))

/** What a page says on every connection: who and where it is, and what it wants to follow. */
const openingMessages = [
  clientMessage('set-restaurant-context', {
    restaurantId: RestaurantRef,
    tableNumber: v.optional(TableNumber),
    k: PrintedCodeProof,
  }),
  clientMessage('set-crew-member-context', { crewMemberId: Id, pin: v.optional(Pin) }),
  clientMessage('update-assigned-tables', { tables: v.pipe(v.array(TableNumber), v.maxLength(500)) }),
  clientMessage('listening', {
    sound: v.boolean(),
    push: v.boolean(),
    visible: v.optional(v.boolean(), true),
  }),
  clientMessage('get-pending-requests', { since }),
  clientMessage('get-team-messages', { since }),
] as const

const OpeningMessage = v.variant('type', openingMessages)

export const ClientMessage = v.variant('type', [
  // First, because they are tried in order and screens send this one most.
  clientMessage('ping', {}),
  ...openingMessages,
  /** Handled in order and answered by one `ack`, as each would be answered alone. */
  clientMessage('resume', { messages: v.pipe(v.array(OpeningMessage), v.minLength(1), v.maxLength(6)) }),
  clientMessage('service-request', NewServiceRequest.entries),
  clientMessage('complete-request', { id: Id, ageMs }),
  clientMessage('send-team-message', NewTeamMessage.entries),
  clientMessage('delete-team-message', { messageId: Id }),
  clientMessage('accept-request', { id: Id, ageMs }),
  clientMessage('release-request', { id: Id, ageMs }),
  clientMessage('reopen-request', { id: Id, ageMs }),
  clientMessage('requests-seen', { ids: v.pipe(v.array(Id), v.maxLength(500)) }),
  clientMessage('start-break', { coverId: v.nullable(Id) }),
  clientMessage('end-break', {}),
  /** Hands one's accepted requests to a colleague; null gives them back to everybody. */
  clientMessage('hand-over-requests', { toId: v.nullable(Id) }),
  clientMessage('send-role-message', NewRoleCall.entries),
  clientMessage('claim-role-message', { id: Id }),
  clientMessage('mute-table', TableToMute.entries),
  clientMessage('unmute-table', { tableNumber: TableNumber }),
  clientMessage('move-party', PartyMove.entries),
  clientMessage('undo-party-move', { id: Id }),
])
export type ClientMessage = v.InferOutput<typeof ClientMessage>
/** What a client sends: fields with defaults are optional. */
export type ClientMessageInput = v.InferInput<typeof ClientMessage>

/** The number of this event in its stream; a gap means that an event was missed. */
const seq = v.optional(v.number())

const serverMessage = <const T extends string, E extends v.ObjectEntries>(type: T, entries: E) =>
  v.object({ type: v.literal(type), seq, ...entries })

const ack = serverMessage('ack', {
  ref,
  request: v.optional(ServiceRequest),
  closed: v.optional(ClosedAs),
  noteCut: NoteCut,
  requests: v.optional(v.array(ServiceRequest)),
  mine: v.optional(v.array(Id)),
  listening: v.optional(v.boolean()),
  barrier: v.optional(v.nullable(Barrier)),
  ...availabilityFields,
  movedTo: v.optional(v.string()),
  expired: v.optional(v.literal(true)),
  /** For staff screens, with their restaurant's context. */
  alarmSet: v.optional(AlarmSet),
  message: v.optional(TeamMessage),
  call: v.optional(RoleCall),
  /** The screen has everything: nothing came after `since`. */
  unchanged: v.optional(v.literal(true)),
})
const error = serverMessage('error', { ref, ...ErrorBody.entries })

export const ServerMessage = v.variant('type', [
  serverMessage('new-request', { request: ServiceRequest }),
  serverMessage('request-updated', { request: ServiceRequest }),
  serverMessage('request-completed', {
    id: Id,
    by: v.nullable(PersonRef),
    cancelled: v.optional(v.literal(true)),
    /** Nobody cancelled it: its party joined one that waits for the same, in this request. */
    mergedInto: v.optional(Id),
  }),
  /** Oldest first; `recent` holds the last 20 closed requests, latest first. `seq` is the stream's current number. */
  serverMessage('pending-requests', {
    requests: v.array(ServiceRequest),
    recent: v.array(ClosedRequest),
    /** Unclaimed calls to a role, oldest first. */
    calls: v.optional(v.array(RoleCall)),
    breaks: v.optional(v.array(Break)),
    muted: v.optional(v.array(MutedTable)),
  }),
  /** A new call, or one that alerts again. */
  serverMessage('role-message', { call: RoleCall }),
  serverMessage('role-message-claimed', { id: Id, by: PersonRef }),
  /** All current breaks, sent whenever one begins or ends. */
  serverMessage('breaks', { breaks: v.array(Break) }),
  /** All muted tables, sent whenever one is muted or unmuted. */
  serverMessage('muted-tables', { tables: v.array(MutedTable) }),
  /** For staff screens: a crew member was added or removed, or has another name or role. */
  serverMessage('crew-changed', {}),
  /** For staff screens: a table, a section or who is assigned today has changed. */
  serverMessage('floor-changed', {}),
  /** For staff screens: the owner chose what requests sound like. */
  serverMessage('alarm-set', { alarmSet: AlarmSet }),
  /** For staff screens: a table was opened or closed, or wants to be, or its party has moved. */
  serverMessage('seating-changed', {}),
  /** For managers and the owner: what guests wrote to the manager has changed, so the screen must load it again. */
  serverMessage('manager-notes-changed', {}),
  /** For managers and the owner: the opening hours, a pause or the time zone has changed. */
  serverMessage('opening-changed', {}),
  /** For a table's guests: whether they may ask, or where they sit, has changed, so the page must load it again. */
  serverMessage('table-changed', {}),
  serverMessage('team-message', { message: TeamMessage }),
  /** Newest first. */
  serverMessage('team-messages-history', { messages: v.array(TeamMessage) }),
  serverMessage('team-message-deleted', { messageId: Id }),
  /** Whether anybody can hear a request right now, and the number of listening staff screens. */
  serverMessage('presence', { listening: v.boolean(), screens: v.number() }),
  v.object({
    ...ack.entries,
    /** To the messages of a `resume`, in their order. */
    answers: v.optional(v.array(v.variant('type', [ack, error]))),
  }),
  error,
])
export type ServerMessage = v.InferOutput<typeof ServerMessage>

export type MessageOf<U extends { type: string }, T extends U['type']> = Extract<U, { type: T }>

/** What the `ack` carries besides `ref`, by the message that it answers. Those that are not named get a bare one. */
type LiveReplies = {
  'service-request': { request: ServiceRequest; closed?: ClosedAs; noteCut?: true }
  /** A staff screen learns what its alarms sound like; a guest's page gets the requests of its table, if it named one. */
  'set-restaurant-context': { alarmSet: AlarmSet } | TableRequests | Record<string, never>
  /** The request as it is now, unless it is closed. */
  'accept-request': { request?: ServiceRequest }
  'release-request': { request?: ServiceRequest }
  'complete-request': { request?: ServiceRequest }
  'reopen-request': { request?: ServiceRequest }
  'get-pending-requests': { unchanged?: true }
  'get-team-messages': { unchanged?: true }
  'send-team-message': { message: TeamMessage }
  'send-role-message': { call: RoleCall }
  'claim-role-message': { call: RoleCall }
}
export type LiveReply<T extends ClientMessage['type']> = T extends keyof LiveReplies ? LiveReplies[T] : void

/** The codes with which the server closes a socket. */
export const closeCodes = {
  /** The server is restarting, or wants the client to start afresh: reconnect soon. */
  restart: 1012,
  flooding: 1008,
  /** The socket's session has ended: sign in again. */
  signedOut: 4401,
} as const

/** The reason beside `signedOut` when the owner has deleted the restaurant. */
export const restaurantDeletedReason = 'Restaurant deleted'
