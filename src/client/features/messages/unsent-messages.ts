import * as v from 'valibot'
import { TeamMessage } from '#contract/crew/messages.ts'
import { dayMs, hourMs } from '#contract/durations.ts'
import { compareByAge } from '#contract/requests/requests.ts'
import { getStored, listUnsentKeys, removeStored, setStored } from '../../lib/browser/browser-storage.ts'

/** A message that is first sent later than this would look new to its reader. */
export const sendableMs = hourMs

/** Unanswered messages survive a reload. A message sent twice under the same id is stored once. */
export const saveUnsent = (message: TeamMessage): void =>
  setStored(`unsent_${message.id}`, JSON.stringify(message))

export const removeUnsent = (id: string): void => removeStored(`unsent_${id}`)

export const countUnsent = (me: string): number => listUnsent().filter(isFrom(me)).length

/** The unsent messages of `me`, in the order of writing. Those that are too late are kept no longer. */
export function takeUnsent(me: string, now: number): { sendable: TeamMessage[]; late: TeamMessage[] } {
  const all = listUnsent()
  const isLate = ({ timestamp }: TeamMessage): boolean => now - timestamp > sendableMs
  const own = all.filter(isFrom(me)).toSorted(compareByAge)
  const late = own.filter(isLate)
  // Whoever wrote the others is told when they are back.
  const forgotten = all.filter(({ timestamp }) => now - timestamp > dayMs)
  for (const { id } of [...late, ...forgotten]) removeUnsent(id)
  return { sendable: own.filter((message) => !isLate(message)), late }
}

const isFrom =
  (me: string) =>
  ({ senderCrewId }: TeamMessage): boolean =>
    senderCrewId === me

function listUnsent(): TeamMessage[] {
  return listUnsentKeys().flatMap((key) => {
    const message = parseMessage(getStored(key))
    if (!message) removeStored(key)
    return message ?? []
  })
}

function parseMessage(text: string | null): TeamMessage | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return v.is(TeamMessage, value) ? value : null
  } catch {
    return null
  }
}
