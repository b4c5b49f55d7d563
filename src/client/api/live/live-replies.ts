import type { ClientMessageInput, LiveReply, MessageOf, ServerMessage } from '#contract/live.ts'

export type Ack = MessageOf<ServerMessage, 'ack'>

type MessageType = ClientMessageInput['type']
type RequiredKey<R> = { [K in keyof R]-?: object extends Pick<R, K> ? never : K }[keyof R]

/** What every reply to such a message has. */
const requiredFields: Partial<Record<MessageType, keyof Ack>> = {
  'service-request': 'request',
  'send-team-message': 'message',
  'send-role-message': 'call',
  'claim-role-message': 'call',
} satisfies {
  [T in MessageType as [RequiredKey<LiveReply<T>>] extends [never] ? never : T]: RequiredKey<LiveReply<T>>
}

/** The fields that an `ack` has were checked when it came; here, that none is missing. */
export function isReplyTo<T extends MessageType>(type: T, ack: Ack): ack is Ack & LiveReply<T> {
  const field = requiredFields[type]
  return field === undefined || ack[field] !== undefined
}
