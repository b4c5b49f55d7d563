import * as v from 'valibot'
import { hourMs, minuteMs } from './durations.ts'
import { Id } from './primitives.ts'
import type { LocalText } from './texts/local-text.ts'

/** A device that has not been opened for this long no longer counts as listening. */
export const pushDeviceIdleMs = 12 * hourMs

/** Which alerts a device gets. */
const pushAudiences = ['crew', 'manager'] as const
export type PushAudience = (typeof pushAudiences)[number]

/** The push service's address for this device. It is a secret, since whoever knows it can send to the device. */
const Endpoint = v.pipe(
  v.string('Not a push address'),
  v.maxLength(1000, 'Not a push address'),
  v.transform((value) => URL.parse(value)),
  v.check((url) => url?.protocol === 'https:' && url.username + url.password === '', 'Not a push address'),
  v.transform((url) => url?.href ?? ''),
  v.maxLength(1000, 'Not a push address'),
)

/** base64url of exactly this many bytes. */
const Base64UrlBytes = (bytes: number) =>
  v.pipe(
    v.string('Not a push key'),
    v.regex(/^[\w-]+={0,2}$/u, 'Not a push key'),
    v.transform((value) => value.replace(/=+$/u, '')),
    v.length(Math.ceil((bytes * 4) / 3), 'Not a push key'),
  )

export const PushKey = v.object({ publicKey: v.string() })

export const NewPushSubscription = v.object({
  endpoint: Endpoint,
  keys: v.object({ p256dh: Base64UrlBytes(65), auth: Base64UrlBytes(16) }),
  audience: v.picklist(pushAudiences, 'Unknown audience'),
  /** The crew member whose device it is; null for a shared device. */
  crewMemberId: v.nullable(Id),
})
export type NewPushSubscription = v.InferOutput<typeof NewPushSubscription>

/** Much longer than devices try to send a tap. */
const maxTapAgeMs = 10 * minuteMs

/** A tap on a button of a notification. The endpoint says on which device, which may hold several subscriptions. */
export const PushAction = v.object({
  endpoint: Endpoint,
  requestId: Id,
  action: v.picklist(['accept', 'complete'], 'Unknown action'),
  /** How long ago it was tapped: it is sent again while the server cannot be reached. */
  ageMs: v.optional(
    v.pipe(
      v.number('Not an age'),
      v.integer('Not an age'),
      v.minValue(0, 'Not an age'),
      v.maxValue(maxTapAgeMs, 'This tap is too old'),
    ),
    0,
  ),
})
export type PushAction = v.InferOutput<typeof PushAction>

/** The text of the notification that takes the place of the one that was tapped. */
export const PushActionReply = v.object({ title: v.string(), body: v.string() })
export type PushActionReply = v.InferOutput<typeof PushActionReply>

export const PushSubscriptionRef = v.object({ id: Id })

/**
 * The payload of a push. The first two fields are a declarative web push, which a browser may show by itself; the
 * last is for our service worker.
 */
export type PushPayload = {
  web_push: 8030
  notification: {
    title: string
    body: string
    /** Opened by a tap on the notification. */
    navigate: string
    /** A notification replaces an earlier one with the same tag. */
    tag: string
    /** The number of waiting requests, shown on the app's icon. */
    app_badge: number
    silent?: true
  }
  tableside: {
    /** The notification with this tag is obsolete: close it where that is allowed, otherwise replace it silently. */
    withdraw: boolean
    /** Stays on the screen until somebody dismisses it. */
    urgent: boolean
    /** What it is about, for crew only: the buttons act on it. */
    request?: PushedRequest
    /** What the restaurant calls it, if that is short enough to send. The texts contain it in the restaurant's own language. */
    need?: PushedNeed
  }
}

/** `name`: a text for one of the six, which is its label. */
export type PushedNeed = { name: LocalText | string; choice?: LocalText }

export type PushedRequest = {
  id: string
  tableNumber: string
  state: 'waiting' | 'accepted' | 'closed'
  /** The crew member who is on the way; null also for a screen without a chosen name. */
  acceptedBy: string | null
}
