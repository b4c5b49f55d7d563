import { truncate } from '#contract/characters.ts'
import { quickMessageLabels } from '#contract/messages.ts'
import { firstName } from '#contract/names.ts'
import type { PushAudience, PushPayload } from '#contract/push.ts'
import { serviceTypeLabels } from '#contract/requests.ts'
import type { MessageRow } from '../../storage/messages.ts'
import type { Delivery } from '../../storage/push-deliveries.ts'
import type { RequestRow } from '../../storage/requests.ts'
import type { Schema } from '../../storage/schema.ts'

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** What a device shows. */
type NotificationText = { title: string; body: string }

/** Something that devices are told, all under one tag. */
export type PushNotification = {
  tag: string
  words: NotificationText | Record<PushAudience, NotificationText>
  urgency: Delivery['urgency']
  /** After so long nobody needs to be told any more, in milliseconds. */
  ttlMs: number
  kind: 'alert' | 'withdrawal'
  /** It stays on the screen until somebody touches it. */
  urgent: boolean
}

/** Longer texts are read in the app; a push takes 4,000 bytes at most. */
const maxTextLength = 300

export function toPayload(
  { tag, words, kind, urgent }: PushNotification,
  audience: PushAudience,
  { publicUrl, waiting }: { publicUrl: string; waiting: number },
): PushPayload {
  const { title, body } = 'title' in words ? words : words[audience]
  return {
    web_push: 8030,
    notification: {
      title: truncate(title, maxTextLength),
      body: truncate(body, maxTextLength),
      navigate: publicUrl + (audience === 'crew' ? '/waiter' : '/management-dashboard'),
      tag,
      app_badge: waiting,
      ...(kind === 'withdrawal' && { silent: true }),
    },
    tableside: { withdraw: kind === 'withdrawal', urgent },
  }
}

/** Its guest said so since somebody is on the way, if anybody is. */
export const isReminder = ({ stillWaiting, stillWaitingAt, acceptedAt }: RequestRow): boolean =>
  stillWaiting > 0 && (stillWaitingAt ?? 0) >= (acceptedAt ?? 0)

export function requestNotification(row: RequestRow, now: number): PushNotification {
  const { id, tableNumber, serviceType, createdAt, level, stillWaiting } = row
  const isUrged = isReminder(row)
  const isHandedOver = row.acceptedAt !== null && !isUrged
  return {
    tag: `request-${id}`,
    words: {
      crew: {
        title: isHandedOver ? 'Handed to you' : isUrged ? 'Still waiting' : 'New Request',
        body: isUrged
          ? `Table ${tableNumber} · ${serviceTypeLabels[serviceType]} · ${stillWaiting}×`
          : `Table ${tableNumber} needs service`,
      },
      manager: {
        title: `Table ${tableNumber} is still waiting`,
        body: `${serviceTypeLabels[serviceType]} · ${formatWaited(now - createdAt)}`,
      },
    },
    urgency: 'high',
    ttlMs: 2 * minutes,
    kind: 'alert',
    urgent: level >= 1,
  }
}

/** Somebody is on the way, or it is over. */
export function requestWithdrawal({ id, tableNumber, ...row }: RequestRow): PushNotification {
  const body =
    row.closedAs === 'cancelled'
      ? 'Cancelled'
      : row.closedAs === 'completed'
        ? 'Done'
        : `${firstName(row.acceptedByName)} is on the way`
  return withdrawal(`request-${id}`, { title: `Table ${tableNumber}`, body })
}

export function messageNotification(row: MessageRow): PushNotification {
  return {
    tag: messageTag(row),
    words: { title: row.senderCrewName, body: row.messageText },
    urgency: 'high',
    ttlMs: hours,
    kind: 'alert',
    urgent: false,
  }
}

/** What it said is not repeated. */
export const messageWithdrawal = (row: MessageRow): PushNotification =>
  withdrawal(messageTag(row), { title: row.senderCrewName, body: 'Message deleted' })

/** A device shows the last message of each sender. */
const messageTag = ({ senderCrewId, targetCrewId }: MessageRow): string =>
  `message-${senderCrewId}-${targetCrewId}`

export function callNotification({
  id,
  fromName,
  messageKey,
  tableNumber,
}: Schema['roleCall']): PushNotification {
  const what = quickMessageLabels[messageKey]
  return {
    tag: `call-${id}`,
    words: { title: fromName, body: tableNumber === null ? what : `${what} · Table ${tableNumber}` },
    urgency: 'high',
    ttlMs: 2 * minutes,
    kind: 'alert',
    urgent: false,
  }
}

export function callWithdrawal({ id, messageKey, claimedByName }: Schema['roleCall']): PushNotification {
  return withdrawal(`call-${id}`, {
    title: quickMessageLabels[messageKey],
    body: `${firstName(claimedByName)} is on it`,
  })
}

export const nobodyListeningNotification: PushNotification = {
  tag: 'nobody-listens',
  words: {
    title: 'Nobody is listening',
    body: 'No crew screen is listening right now. Guests are told to wave.',
  },
  urgency: 'high',
  ttlMs: 10 * minutes,
  kind: 'alert',
  urgent: true,
}

export const somebodyListeningNotification: PushNotification = withdrawal(nobodyListeningNotification.tag, {
  title: 'Somebody is listening again',
  body: 'The crew hears new requests.',
})

function withdrawal(tag: string, words: NotificationText): PushNotification {
  return { tag, words, urgency: 'normal', ttlMs: hours, kind: 'withdrawal', urgent: false }
}

function formatWaited(ms: number): string {
  const waited = Math.max(0, Math.floor(ms / seconds))
  return waited < 60 ? `${waited} s` : `${Math.floor(waited / 60)} min`
}
