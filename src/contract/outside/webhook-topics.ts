import { keysOf } from '../keys-of.ts'

/** What a webhook can be told of, besides alerts that nobody answers; as owners read it. */
export const webhookTopics = {
  requests: 'New requests',
  completions: 'Requests that are done or cancelled',
  escalations: 'Requests that alert more people',
  listening: 'Whether anybody can hear requests',
  visits: 'Guests who begin a visit',
} as const
export type WebhookTopic = keyof typeof webhookTopics
export const webhookTopicNames = keysOf(webhookTopics)
