import { quickMessageLabels } from '#contract/crew/messages.ts'
import { hourMs, minuteMs, secondMs } from '#contract/durations.ts'
import { firstName } from '#contract/names.ts'
import type { PushAudience, PushedRequest, PushPayload } from '#contract/push.ts'
import { truncate } from '#contract/texts/characters.ts'
import type { CallRow } from '../../storage/crew/role-calls.ts'
import type { NoteRow } from '../../storage/guests/manager-notes.ts'
import type { MessageRow } from '../../storage/messages/messages.ts'
import { needLabel, needNames } from '../../storage/requests/asked-need.ts'
import { presentTable, type RequestRow } from '../../storage/requests/requests.ts'
import type { NotificationText, PushNotification } from '../ctx.ts'
import { describeState } from '../requests/late-taps.ts'

/** A push may be 4,000 bytes at most; longer texts can be read in the app. */
const maxTextLength = 300
const maxNeedBytes = 2_000

export function toPayload(
  { tag, text, kind, urgent, request, need }: PushNotification,
  audience: PushAudience,
  { publicUrl, waiting }: { publicUrl: string; waiting: number },
): PushPayload {
  const { title, body } = 'title' in text ? text : text[audience]
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
    tableside: {
      withdraw: kind === 'withdrawal',
      urgent,
      ...(request && audience === 'crew' && { request }),
      ...(need && Buffer.byteLength(JSON.stringify(need)) <= maxNeedBytes && { need }),
    },
  }
}

/** Whether the guest said "still waiting" after the request was accepted, or without anybody having accepted it. */
export const isReminder = ({ stillWaiting, stillWaitingAt, acceptedAt }: RequestRow): boolean =>
  stillWaiting > 0 && (stillWaitingAt ?? 0) >= (acceptedAt ?? 0)

/** `movedFrom`: the table that its party has left, while somebody is on the way there. */
export function requestNotification(
  row: RequestRow,
  now: number,
  movedFrom: string | null = null,
): PushNotification {
  const { createdAt, level, stillWaiting } = row
  const tableNumber = presentTable(row)
  const isUrged = isReminder(row)
  const isHandedOver = row.acceptedAt !== null && !isUrged
  const serviceLabel = needLabel(row)
  const moved = { title: `Table ${movedFrom} moved to ${tableNumber}`, body: serviceLabel }
  const asked = {
    title: isHandedOver ? 'Handed to you' : isUrged ? 'Still waiting' : 'New Request',
    body: isUrged
      ? `Table ${tableNumber} · ${serviceLabel} · ${stillWaiting}×`
      : row.need === null && row.choice === null
        ? `Table ${tableNumber} needs service`
        : `${serviceLabel} · Table ${tableNumber}`,
  }
  const manager = {
    title: `Table ${tableNumber} is still waiting`,
    body: `${serviceLabel} · ${formatWaitingTime(now - createdAt)}`,
  }
  const need = needNames(row)
  return createAlert(
    requestTag(row),
    { crew: movedFrom === null ? asked : moved, manager },
    {
      urgent: level >= 1,
      request: toPushedRequest(row),
      ...(need && { need }),
      // However late it comes, a phone must not go on naming the table that they have left.
      ...(movedFrom !== null && { ttlMs: hourMs }),
    },
  )
}

/** Sent when somebody accepted the request or it was closed. */
export function requestWithdrawal(row: RequestRow): PushNotification {
  const text = { title: `Table ${presentTable(row)}`, body: describeState(row) }
  return { ...createWithdrawal(requestTag(row), text), request: toPushedRequest(row) }
}

const toPushedRequest = (row: RequestRow): PushedRequest => {
  const { id, closedAt, acceptedAt, acceptedBy } = row
  return {
    id,
    tableNumber: presentTable(row),
    state: closedAt !== null ? 'closed' : acceptedAt !== null ? 'accepted' : 'waiting',
    acceptedBy: closedAt === null ? acceptedBy : null,
  }
}

const requestTag = ({ id }: RequestRow): string => `request-${id}`

export const messageNotification = (row: MessageRow): PushNotification =>
  createAlert(messageTag(row), { title: row.senderCrewName, body: row.messageText }, { ttlMs: hourMs })

export const messageWithdrawal = (row: MessageRow): PushNotification =>
  createWithdrawal(messageTag(row), { title: row.senderCrewName, body: 'Message deleted' })

/** A device shows only the last message of each sender. */
const messageTag = ({ senderCrewId, targetCrewId }: MessageRow): string =>
  `message-${senderCrewId}-${targetCrewId}`

export function callNotification(row: CallRow): PushNotification {
  const label = quickMessageLabels[row.messageKey]
  const body = row.tableNumber === null ? label : `${label} · Table ${row.tableNumber}`
  return createAlert(callTag(row), { title: row.fromName, body })
}

export const callWithdrawal = (row: CallRow): PushNotification =>
  createWithdrawal(callTag(row), {
    title: quickMessageLabels[row.messageKey],
    body: `${firstName(row.claimedByName)} is on it`,
  })

const callTag = ({ id }: CallRow): string => `call-${id}`

/** What the guest wrote is read on the screen alone. */
export const noteNotification = (row: NoteRow): PushNotification =>
  createAlert(
    noteTag(row),
    {
      title: `Table ${row.tableNumber}`,
      body: `A guest at table ${row.tableNumber} wrote to you`,
    },
    { ttlMs: hourMs },
  )

/** Sent when somebody looks after it, or has. */
export const noteWithdrawal = (row: NoteRow): PushNotification =>
  createWithdrawal(noteTag(row), {
    title: `Table ${row.tableNumber}`,
    body: row.closedAt === null && row.takenBy !== null ? `${row.takenBy} is on it` : 'Done',
  })

const noteTag = ({ id }: NoteRow): string => `note-${id}`

export const nobodyListeningNotification: PushNotification = createAlert(
  'nobody-listens',
  {
    title: 'Nobody is listening',
    body: 'No crew screen is listening right now. Guests are told to wave.',
  },
  { ttlMs: 10 * minuteMs, urgent: true },
)

export const somebodyListeningNotification: PushNotification = createWithdrawal(
  nobodyListeningNotification.tag,
  { title: 'Somebody is listening again', body: 'The crew hears new requests.' },
)

function createAlert(
  tag: string,
  text: PushNotification['text'],
  options: Partial<Pick<PushNotification, 'ttlMs' | 'urgent' | 'request' | 'need'>> = {},
): PushNotification {
  return { tag, text, urgency: 'high', ttlMs: 2 * minuteMs, kind: 'alert', urgent: false, ...options }
}

function createWithdrawal(tag: string, text: NotificationText): PushNotification {
  return { tag, text, urgency: 'normal', ttlMs: hourMs, kind: 'withdrawal', urgent: false }
}

function formatWaitingTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / secondMs))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`
}
