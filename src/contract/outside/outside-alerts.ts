import * as v from 'valibot'
import { Email } from '../accounts/account-forms.ts'
import { keysOf } from '../keys-of.ts'
import { Id, Timestamp } from '../primitives.ts'
import { Delay } from '../requests/escalation.ts'
import { webhookTopicNames } from './webhook-topics.ts'

export const outsideChannelLabels = { email: 'Email', ntfy: 'ntfy', webhook: 'Webhook' } as const
export type OutsideChannelKind = keyof typeof outsideChannelLabels
export const outsideChannelKinds = keysOf(outsideChannelLabels)

export const maxOutsideChannels = 10

const addressMessage = 'Please enter an address that begins with https://'
const WebAddress = v.pipe(
  v.string(addressMessage),
  v.trim(),
  v.maxLength(500, 'Please use at most 500 characters'),
  v.transform((typed) => URL.parse(typed)),
  v.check((url) => url !== null && /^https?:$/u.test(url.protocol), addressMessage),
  v.check((url) => !url?.username && !url?.password, 'Please leave the password out of the address'),
  v.transform((url) => url?.href.replace(/#.*$/u, '') ?? ''),
  v.maxLength(1_000, 'Please use a shorter address'),
)

const topicMessage = 'Please enter the address of a topic, such as https://ntfy.sh/my-restaurant'
const TopicAddress = v.pipe(
  WebAddress,
  v.check((address) => /^\/[\w-]{1,64}$/u.test(new URL(address).pathname), topicMessage),
  v.check((address) => new URL(address).search === '', topicMessage),
)

const tokenMessage = 'Please check the access token'
const AccessToken = v.pipe(v.string(tokenMessage), v.trim(), v.regex(/^[\w.~+/=-]{0,200}$/u, tokenMessage))

export const NewOutsideChannel = v.variant(
  'kind',
  [
    v.object({ kind: v.literal('email'), address: Email }),
    v.object({ kind: v.literal('ntfy'), address: TopicAddress, token: v.optional(AccessToken) }),
    v.object({ kind: v.literal('webhook'), address: WebAddress }),
  ],
  'Please choose how to be told',
)
export type NewOutsideChannel = v.InferOutput<typeof NewOutsideChannel>

export const OutsideChannel = v.object({
  id: Id,
  kind: v.picklist(outsideChannelKinds),
  address: v.string(),
  /** False for an email address until the code that was mailed to it is entered. */
  confirmed: v.boolean(),
  /** Whether it is told of requests that nobody answers. */
  alerts: v.boolean(),
  /** Whether it gets the report of the week before, on Mondays. Only email addresses may. */
  weeklyReport: v.boolean(),
  /** What it is told of as it happens. Only webhooks may be. */
  topics: v.array(v.picklist(webhookTopicNames)),
  /** The last attempt to send there, or a test; `problem` is null if it arrived. */
  last: v.nullable(v.object({ at: Timestamp, problem: v.nullable(v.string()) })),
})
export type OutsideChannel = v.InferOutput<typeof OutsideChannel>

const topics = v.pipe(v.array(v.picklist(webhookTopicNames)), v.maxLength(webhookTopicNames.length))

/** With `was`, the topics that the caller saw, only the difference is applied, so simultaneous changes both count. */
export const OutsideChannelChange = v.pipe(
  v.object({
    ...v.partial(v.object({ alerts: v.boolean(), weeklyReport: v.boolean(), topics })).entries,
    was: v.optional(v.object({ topics })),
  }),
  v.check(
    (change) => [change.alerts, change.weeklyReport, change.topics].some((value) => value !== undefined),
    'Nothing to change',
  ),
)
export type OutsideChannelChange = v.InferOutput<typeof OutsideChannelChange>

/** `secret` verifies a webhook's signatures and is shown only this once. */
export const AddedOutsideChannel = v.object({ channel: OutsideChannel, secret: v.nullable(v.string()) })
export type AddedOutsideChannel = v.InferOutput<typeof AddedOutsideChannel>

/** How long after the manager somebody outside is alerted; null for never. */
export const OutsideAlertDelay = v.object({ afterMs: v.nullable(Delay) })
export type OutsideAlertDelay = v.InferOutput<typeof OutsideAlertDelay>

/** `was` is what the caller saw: if that is out of date, the change is refused as a conflict. */
export const OutsideAlertDelayChange = v.object({
  ...OutsideAlertDelay.entries,
  was: v.optional(OutsideAlertDelay.entries.afterMs),
})
export type OutsideAlertDelayChange = v.InferOutput<typeof OutsideAlertDelayChange>

export const OutsideAlertSettings = v.object({
  ...OutsideAlertDelay.entries,
  channels: v.array(OutsideChannel),
})
export type OutsideAlertSettings = v.InferOutput<typeof OutsideAlertSettings>

const codeMessage = 'Please enter the six digits from the email'
export const MailedCode = v.object({
  code: v.pipe(v.string(codeMessage), v.trim(), v.regex(/^\d{6}$/u, codeMessage)),
})
export type MailedCode = v.InferOutput<typeof MailedCode>
