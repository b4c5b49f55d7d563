import type { ClientMessage, LiveReply, MessageOf, ServerMessage } from '#contract/live.ts'
import { liveOperations } from '#contract/permissions.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { requireSameRestaurant } from '../core/accounts/restaurants/restaurants.ts'
import { authorize, authorizeInRestaurant, requireCrewMember } from '../core/authorize.ts'
import * as chosenMember from '../core/crew/chosen-member.ts'
import * as roleCalls from '../core/crew/role-calls.ts'
import * as shift from '../core/crew/shift.ts'
import type { Ctx } from '../core/ctx.ts'
import { forbidden } from '../core/errors.ts'
import * as mutedTables from '../core/floor/muted-tables.ts'
import * as visits from '../core/guests/visits.ts'
import * as messages from '../core/messages/messages.ts'
import * as crewRequests from '../core/requests/crew-requests.ts'
import * as partyMoves from '../core/requests/moves/party-moves.ts'
import * as reopenedRequests from '../core/requests/moves/reopened-requests.ts'
import * as requests from '../core/requests/requests.ts'
import { streamOf } from '../core/streams.ts'
import { topicName } from '../core/topics.ts'
import { read } from '../core/transaction.ts'
import type { Connection } from './connection.ts'
import type { Rooms } from './rooms.ts'
import type { StreamSnapshots } from './streams/stream-snapshots.ts'

/** What an `ack` carries besides `ref`. */
export type AckFields = Omit<MessageOf<ServerMessage, 'ack'>, 'type' | 'ref' | 'seq'>

export type HandlerContext = {
  ctx: Ctx
  from: Connection
  rooms: Rooms
  snapshots: StreamSnapshots
}

/** A message by itself, not several in one. */
export type SingleMessage = Exclude<ClientMessage, { type: 'resume' }>

type Handlers = {
  [T in SingleMessage['type']]: (
    context: HandlerContext,
    message: MessageOf<SingleMessage, T>,
  ) => Promise<LiveReply<T>>
}

/** One per type of client message. A missing one, or another answer, does not compile. */
const handlers: Handlers = {
  'service-request': async (context, message) => {
    const { ctx, from } = context
    const { table, created: _created, ...sent } = await requests.send(ctx, from.actor, message)
    if (from.actor.grants.size === 0) await joinTable(context, table)
    return sent
  },

  // Who is signed in and names no table follows the restaurant; everybody else follows a table.
  'set-restaurant-context': async (context, message) => {
    const { ctx, from, rooms } = context
    const { tableNumber } = message
    if (from.actor.grants.size > 0 && tableNumber === undefined) {
      const { restaurantId } = authorizeInRestaurant(from.actor, 'requests.listPending')
      const { alarmSet } = await requireSameRestaurant(ctx, read(ctx), restaurantId, message.restaurantId)
      rooms.joinStaff(from, restaurantId)
      return { alarmSet }
    }
    const { verified, ...table } = await visits.watchTable(ctx, from.actor, message)
    if (verified) from.codeOf = table.restaurantId
    await joinTable(context, table)
    return tableNumber === undefined ? {} : visits.mine(ctx, from.actor, { ...message, tableNumber })
  },

  'set-crew-member-context': async ({ ctx, from, rooms }, message) => {
    const crewMember = await chosenMember.setCrewMember(ctx, from.actor, message)
    from.actor = { ...from.actor, crewMember }
    rooms.joinCrew(from)
  },

  // Only a hint from the screen: the stored assignments decide.
  'update-assigned-tables': async ({ from }) => {
    authorizeInRestaurant(from.actor, 'contexts.updateAssignedTables')
    if (!from.actor.crewMember) throw forbidden('Please select your name first')
  },

  'get-pending-requests': async ({ ctx, from, rooms, snapshots }, { since }) => {
    const { restaurantId } = authorizeInRestaurant(from.actor, 'requests.listPending')
    rooms.joinStaff(from, restaurantId)
    return unchangedUnless(await sendPendingRequests(ctx, snapshots, from, restaurantId, since))
  },

  'get-team-messages': async ({ ctx, from, rooms, snapshots }, { since }) => {
    const { restaurantId } = authorizeInRestaurant(from.actor, 'messages.list')
    const { id } = requireCrewMember(from.actor)
    rooms.joinCrew(from)
    return unchangedUnless(
      await sendTeamMessages(ctx, snapshots, from, { restaurantId, crewMemberId: id, since }),
    )
  },

  'accept-request': async ({ ctx, from }, message) =>
    requestFields(await crewRequests.accept(ctx, from.actor, message)),
  'release-request': async ({ ctx, from }, message) =>
    requestFields(await crewRequests.release(ctx, from.actor, message)),
  'reopen-request': async ({ ctx, from }, message) =>
    requestFields(await reopenedRequests.reopen(ctx, from.actor, message)),
  'complete-request': async ({ ctx, from }, message) => {
    await crewRequests.complete(ctx, from.actor, message)
    return {}
  },
  'requests-seen': ({ ctx, from }, message) => crewRequests.markSeen(ctx, from.actor, message),

  'send-team-message': async ({ ctx, from }, message) => ({
    message: await messages.send(ctx, from.actor, message),
  }),
  'delete-team-message': ({ ctx, from }, message) => messages.remove(ctx, from.actor, message),

  listening: async ({ from, rooms }, { sound, push, visible }) => {
    const { restaurantId } = authorizeInRestaurant(from.actor, 'presence.setListening')
    rooms.joinStaff(from, restaurantId)
    rooms.describeScreen(from, { sound, push, visible })
  },

  'start-break': ({ ctx, from }, message) => shift.startBreak(ctx, from.actor, message),
  'end-break': ({ ctx, from }) => shift.endBreak(ctx, from.actor),
  'hand-over-requests': ({ ctx, from }, message) => shift.handOverRequests(ctx, from.actor, message),
  'send-role-message': async ({ ctx, from }, message) => ({
    call: await roleCalls.send(ctx, from.actor, message),
  }),
  'claim-role-message': async ({ ctx, from }, message) => ({
    call: await roleCalls.claim(ctx, from.actor, message),
  }),

  'mute-table': ({ ctx, from }, message) => mutedTables.mute(ctx, from.actor, message),
  'unmute-table': ({ ctx, from }, message) => mutedTables.unmute(ctx, from.actor, message),
  'move-party': ({ ctx, from }, message) => partyMoves.moveParty(ctx, from.actor, message),
  'undo-party-move': ({ ctx, from }, message) => partyMoves.undoPartyMove(ctx, from.actor, message),

  ping: async () => {},
}

async function joinTable(
  { from, rooms, snapshots }: HandlerContext,
  {
    restaurantId,
    tableKey,
    ended = false,
  }: { restaurantId: string; tableKey: string | null; ended?: boolean },
): Promise<void> {
  rooms.joinTable(from, { restaurantId, tableKey, ended })
  if (tableKey === null) return
  // Not before: events of the table that it leaves do not belong after the new one's list.
  from.holdUntilAnswered()
  await snapshots.follow(streamOf({ kind: 'table', restaurantId, tableKey }))
}

const requestFields = (request: ServiceRequest | undefined): { request?: ServiceRequest } =>
  request ? { request } : {}

const unchangedUnless = (sent: boolean): { unchanged?: true } => (sent ? {} : { unchanged: true })

function sendPendingRequests(
  ctx: Ctx,
  snapshots: StreamSnapshots,
  to: Connection,
  restaurantId: string,
  since?: number,
): Promise<boolean> {
  const { actor } = to
  return snapshots.send(to, streamOf({ kind: 'staff', restaurantId }), since, async () => ({
    type: 'pending-requests',
    ...(await crewRequests.listPending(ctx, actor)),
  }))
}

function sendTeamMessages(
  ctx: Ctx,
  snapshots: StreamSnapshots,
  to: Connection,
  { since, ...member }: { restaurantId: string; crewMemberId: string; since?: number | undefined },
): Promise<boolean> {
  // Other screens of the member share what is read; by then this one may act as somebody else.
  const { actor } = to
  return snapshots.send(to, streamOf({ kind: 'crew', ...member }), since, async () => ({
    type: 'team-messages-history',
    ...(await messages.list(ctx, actor)),
  }))
}

/** Brings a connection up to date after an event of its stream was lost. */
export async function resendSnapshots(ctx: Ctx, snapshots: StreamSnapshots, to: Connection): Promise<void> {
  const { restaurantId, actor } = to
  if (restaurantId === null || to.isClosing) return
  if (to.topics.has(topicName({ kind: 'staff', restaurantId })))
    await sendPendingRequests(ctx, snapshots, to, restaurantId)
  const crewMemberId = actor.crewMember?.id
  if (crewMemberId && to.topics.has(topicName({ kind: 'crew', restaurantId, crewMemberId })))
    await sendTeamMessages(ctx, snapshots, to, { restaurantId, crewMemberId })
}

export async function dispatch(context: HandlerContext, message: SingleMessage): Promise<AckFields | void> {
  const handle = handlers[message.type] as (
    context: HandlerContext,
    message: SingleMessage,
  ) => Promise<AckFields | void>
  authorize(context.from.actor, liveOperations[message.type])
  return handle(context, message)
}
