import { ClientMessage } from '#contract/live.ts'
import * as contract from '#contract/parse.ts'
import { Refusal } from '../core/errors.ts'

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Refusal('invalid', 'Message not understood', { cause })
  }
}

/** So that even a message that is refused is answered by its name. */
export function readRef(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || !('ref' in given)) return undefined
  return typeof given.ref === 'string' && given.ref.length <= 64 ? given.ref : undefined
}

export function parseClientMessage(given: unknown): ClientMessage {
  const parsed = contract.parse(ClientMessage, given)
  if (parsed.ok) return parsed.value
  const understood = parsed.field !== undefined && parsed.field !== 'type'
  throw new Refusal('invalid', understood ? parsed.message : 'Message not understood')
}
