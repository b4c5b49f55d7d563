import type { NewTeamMessage, TeamMessage } from '#contract/crew/messages.ts'
import { nameKey } from '#contract/primitives.ts'
import * as crew from '../../storage/crew/crew.ts'
import * as messages from '../../storage/messages/messages.ts'
import type { MessageRow } from '../../storage/messages/messages.ts'
import * as streams from '../../storage/streams.ts'
import { requireSameRestaurant, restaurantOf } from '../accounts/restaurants/restaurants.ts'
import type { Actor } from '../actor.ts'
import { authorizeInRestaurant, requireCrewMember } from '../authorize.ts'
import { requirePresent } from '../crew/present-member.ts'
import { goOnBreak, returnFromBreak } from '../crew/shift.ts'
import type { Ctx } from '../ctx.ts'
import { forbidden, invalid, notFound } from '../errors.ts'
import { whenPushIsDue } from '../push/late-pushes.ts'
import { messageWithdrawal } from '../push/notifications.ts'
import { withdrawPush } from '../push/withdrawals.ts'
import { escalateUnattended } from '../requests/escalation/escalation.ts'
import type { Topic } from '../topics.ts'
import { read, write } from '../transaction.ts'
import { notifyRecipient } from './message-pushes.ts'

/** The number of messages shown at most. */
const historyLimit = 500

/** The sender is the crew member whom the screen acts as; a message that names somebody else is refused. */
export async function send(ctx: Ctx, actor: Actor, input: NewTeamMessage): Promise<TeamMessage> {
  const { restaurantId } = authorizeInRestaurant(actor, 'messages.send')
  const sender = requireCrewMember(actor)
  if (input.senderCrewId !== undefined && input.senderCrewId !== sender.id) throw forbidden()
  if (!matchesName(input.senderCrewName, sender.name)) throw forbidden()
  if (input.targetCrewId === sender.id) throw invalid('Please choose somebody else')
  const { message, stored } = await write(ctx, async (tx) => {
    const restaurant =
      input.restaurantId === undefined
        ? await restaurantOf(tx.db, actor)
        : await requireSameRestaurant(ctx, tx.db, restaurantId, input.restaurantId)
    await requirePresent(tx.db, restaurantId, sender.id)
    const target = await crew.find(tx.db, restaurantId, input.targetCrewId)
    if (!target) throw notFound('Crew member')
    if (!matchesName(input.targetCrewName, target.name)) throw invalid('Please select the contact again')
    const now = ctx.now()
    const pair = { restaurantId, senderCrewId: sender.id, targetCrewId: target.id }
    const last = await messages.findLastSince(tx.db, pair, now)
    const row = {
      restaurantId,
      id: input.id ?? ctx.newId(),
      senderCrewId: sender.id,
      senderCrewName: sender.name,
      targetCrewId: target.id,
      targetCrewName: target.name,
      messageKey: input.messageKey,
      messageText: input.messageText,
      // A quick message has none: it is read in the reader's.
      language: input.messageKey === null ? (input.language ?? null) : null,
      // After what was said before, also in the same millisecond, or where the clock was set back since.
      createdAt: last === null ? now : last + 1,
      pushDueAt: whenPushIsDue(ctx, restaurantId),
    }
    const stored = await messages.insert(tx.db, row)
    if (!stored) {
      const own = await messages.find(tx.db, restaurantId, row.id)
      if (own?.senderCrewId !== sender.id) throw invalid('Not a valid id')
      return { message: toMessage(own, restaurant.name), stored: null }
    }
    const message = toMessage(stored, restaurant.name)
    for (const topic of conversationTopics(stored)) tx.announce(topic, { type: 'team-message', message })
    if (input.messageKey === 'ON_BREAK') await goOnBreak(ctx, tx, actor, target.id)
    if (input.messageKey === 'BACK_FROM_BREAK') await returnFromBreak(ctx, tx, actor)
    return { message, stored }
  })
  if (stored) ctx.pusher.sendInBackground(restaurantId, (db) => notifyRecipient(ctx, db, stored))
  if (stored && isBreakMessage(input.messageKey)) await escalateUnattended(ctx, stored.restaurantId)
  return message
}

const isBreakMessage = (key: string | null): boolean => key === 'ON_BREAK' || key === 'BACK_FROM_BREAK'

const matchesName = (given: string | undefined, name: string): boolean =>
  given === undefined || nameKey(given) === nameKey(name)

/** Removes the actor's own message for both sides. Removing it again changes nothing. */
export async function remove(ctx: Ctx, actor: Actor, { messageId }: { messageId: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'messages.remove')
  const { id } = requireCrewMember(actor)
  await write(ctx, async (tx) => {
    const removed = await messages.remove(tx.db, restaurantId, messageId, id, ctx.now())
    if (removed) {
      for (const topic of conversationTopics(removed))
        tx.announce(topic, { type: 'team-message-deleted', messageId })
      // Devices show the sender's last message only.
      if (!(await messages.hasNewer(tx.db, removed)))
        await withdrawPush(ctx, tx, restaurantId, messageWithdrawal(removed))
      return
    }
    const row = await messages.find(tx.db, restaurantId, messageId)
    if (!row || (row.senderCrewId !== id && row.targetCrewId !== id)) throw notFound('Message')
    if (row.senderCrewId !== id) throw forbidden('You can only delete your own messages')
  })
}

/** From and to this crew member, newest first. `seq` is read first, so that later messages are noticed. */
export async function list(ctx: Ctx, actor: Actor): Promise<{ messages: TeamMessage[]; seq: number }> {
  const { restaurantId } = authorizeInRestaurant(actor, 'messages.list')
  const { id } = requireCrewMember(actor)
  const db = read(ctx)
  const seq = await streams.findLastSequence(db, restaurantId, `crew:${id}`)
  const { name } = await restaurantOf(db, actor)
  const rows = await messages.listFor(db, restaurantId, id, historyLimit)
  return { messages: rows.map((row) => toMessage(row, name)), seq }
}

const conversationTopics = (row: MessageRow): Topic[] => [
  { kind: 'crew', restaurantId: row.restaurantId, crewMemberId: row.senderCrewId },
  { kind: 'crew', restaurantId: row.restaurantId, crewMemberId: row.targetCrewId },
]

const toMessage = (row: MessageRow, restaurantName: string): TeamMessage => ({
  id: row.id,
  restaurantId: restaurantName,
  senderCrewId: row.senderCrewId,
  senderCrewName: row.senderCrewName,
  targetCrewId: row.targetCrewId,
  targetCrewName: row.targetCrewName,
  messageKey: row.messageKey,
  messageText: row.messageText,
  ...(row.language !== null && { language: row.language }),
  timestamp: row.createdAt,
})
