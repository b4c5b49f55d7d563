import * as v from 'valibot'
import { keysOf } from '../keys-of.ts'
import { Id, Timestamp, textField } from '../primitives.ts'
import { LanguageTag } from '../texts/catalogue.ts'
import type { CrewRole } from './crew.ts'

export const quickMessages = {
  General: {
    NEED_HELP: 'Need help at my station',
    BREAK_REQUEST: 'Can someone cover for my break?',
    ON_BREAK: 'Going on break',
    BACK_FROM_BREAK: 'Back from break',
  },
  Service: {
    NEED_RUNNER: 'Need a food runner',
    NEED_BUSSER: 'Need help bussing tables',
    TABLE_READY_TO_CLEAR: 'Table ready to be cleared',
    LARGE_PARTY: 'Large party incoming',
    VIP_TABLE: 'VIP table - special attention needed',
  },
  Kitchen: {
    FOOD_READY: 'Food ready for pickup',
    DRINKS_READY: 'Drinks ready at bar',
    ORDER_DELAYED: 'Kitchen delay on order',
  },
  Issues: {
    SPILL_ALERT: 'Spill cleanup needed',
    RESTROOM_CHECK: 'Restroom needs attention',
    MANAGER_NEEDED: 'Manager needed',
  },
  Host: {
    WAIT_TIME_UPDATE: 'Updated wait time',
    TABLE_READY: 'Table ready for seating',
    RESERVATION_ARRIVED: 'Reservation party arrived',
  },
  Closing: {
    SIDE_WORK_DONE: 'Side work completed',
    READY_TO_CLOSE: 'Ready to close section',
  },
} as const

type QuickMessageCategory = keyof typeof quickMessages

/** The categories listed first for each role. The others follow: everybody may use all of them. */
export const roleCategories: Record<CrewRole, QuickMessageCategory[]> = {
  Host: ['Host'],
  Server: ['Service', 'Kitchen'],
  Busser: ['Service', 'Closing'],
}

export const quickMessageLabels = {
  ...quickMessages.General,
  ...quickMessages.Service,
  ...quickMessages.Kitchen,
  ...quickMessages.Issues,
  ...quickMessages.Host,
  ...quickMessages.Closing,
}
export type QuickMessageKey = keyof typeof quickMessageLabels

/** Null for free text, and for keys of other versions. */
export function toQuickMessageKey(key: string | null): QuickMessageKey | null {
  return keysOf(quickMessageLabels).find((known) => known === key) ?? null
}

export const MessageText = textField('Please type a message', 1000)

export const TeamMessage = v.object({
  id: Id,
  restaurantId: v.string(),
  senderCrewId: Id,
  senderCrewName: v.string(),
  targetCrewId: Id,
  targetCrewName: v.string(),
  messageKey: v.nullable(v.string()),
  messageText: v.string(),
  /** The language of a free text, if the sender's screen named it. */
  language: v.optional(v.string()),
  timestamp: Timestamp,
})
export type TeamMessage = v.InferOutput<typeof TeamMessage>

/** The sender is the connection's own crew member; a sender or name given here is only checked. */
export const NewTeamMessage = v.object({
  id: v.optional(Id),
  restaurantId: v.optional(textField('Restaurant not found', 200)),
  senderCrewId: v.optional(Id),
  senderCrewName: v.optional(v.string()),
  targetCrewId: Id,
  targetCrewName: v.optional(v.string()),
  messageKey: v.optional(v.nullable(v.picklist(keysOf(quickMessageLabels), 'Unknown quick message')), null),
  messageText: MessageText,
  language: v.optional(LanguageTag),
})
export type NewTeamMessage = v.InferOutput<typeof NewTeamMessage>
