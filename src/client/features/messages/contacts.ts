import type { CrewMember } from '#contract/crew/crew.ts'
import type { TeamMessage } from '#contract/crew/messages.ts'
import { normalizeForSearch } from '../../lib/texts/format.ts'

export type Contact = { member: CrewMember; latest: TeamMessage | null; unread: number }

/** By contact id: how far the user has read the conversation, in epoch milliseconds. */
export type ReadMarks = ReadonlyMap<string, number>

export const otherMemberId = (message: TeamMessage, me: string): string =>
  message.senderCrewId === me ? message.targetCrewId : message.senderCrewId

/** Everybody but the user, by name. */
export function buildContacts(
  crew: readonly CrewMember[],
  messages: readonly TeamMessage[],
  me: string,
  read: ReadMarks,
): Contact[] {
  const byContact = Map.groupBy(messages, (message) => otherMemberId(message, me))
  return crew
    .filter(({ id }) => id !== me)
    .map((member) => {
      const conversation = byContact.get(member.id) ?? []
      const since = read.get(member.id) ?? 0
      const unread = conversation.filter(
        (message) => message.senderCrewId !== me && message.timestamp > since,
      )
      return { member, latest: conversation.at(-1) ?? null, unread: unread.length }
    })
    .toSorted((a, b) => a.member.name.localeCompare(b.member.name))
}

/** The contacts with a conversation, the latest first. */
export const recentContacts = (contacts: readonly Contact[]): Contact[] =>
  contacts
    .filter(({ latest }) => latest !== null)
    .toSorted((a, b) => (b.latest?.timestamp ?? 0) - (a.latest?.timestamp ?? 0))

export function filterContacts(contacts: readonly Contact[], search: string): readonly Contact[] {
  const wanted = normalizeForSearch(search.trim())
  return wanted === ''
    ? contacts
    : contacts.filter(({ member }) => normalizeForSearch(member.name).includes(wanted))
}
