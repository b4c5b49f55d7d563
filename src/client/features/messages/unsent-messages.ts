import * as v from 'valibot'
import { TeamMessage } from '#contract/messages.ts'
import { removeStored, getStored, setStored, listUnsentKeys } from '../../lib/browser-storage.ts'

/** What could not be sent for so long would come as if it were new. */
const maxAgeMs = 60 * 60 * 1000

/** What is not answered yet outlives a reload; sent twice under its id, it is stored once. */
export const saveUnsent = (message: TeamMessage): void =>
  setStored(`unsent_${message.id}`, JSON.stringify(message))

export const removeUnsent = (id: string): void => removeStored(`unsent_${id}`)

/** What `me` wrote here, in the order it was written. */
export function loadUnsent(me: string, now: number): TeamMessage[] {
  const kept: TeamMessage[] = []
  for (const key of listUnsentKeys()) {
    const message = parseMessage(getStored(key))
    if (!message || now - message.timestamp > maxAgeMs) removeStored(key)
    else if (message.senderCrewId === me) kept.push(message)
  }
  return kept.toSorted((a, b) => a.timestamp - b.timestamp || a.id.localeCompare(b.id))
}

function parseMessage(text: string | null): TeamMessage | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return v.is(TeamMessage, value) ? value : null
  } catch {
    return null
  }
}
