import * as v from 'valibot'
import { Id } from './primitives.ts'

/** A device that was not opened for so long, in milliseconds, lies forgotten: nobody listens to it. */
export const pushDeviceIdleMs = 12 * 3_600_000

/** Whose alerts a device gets. */
const pushAudiences = ['crew', 'manager'] as const
export type PushAudience = (typeof pushAudiences)[number]

/** Where the browser's push service takes what is for this device. Whoever knows it may write to it: a secret. */
const Endpoint = v.pipe(
  v.string('Not a push address'),
  v.maxLength(1000, 'Not a push address'),
  v.transform((value) => URL.parse(value)),
  v.check((url) => url?.protocol === 'https:' && url.username + url.password === '', 'Not a push address'),
  v.transform((url) => url?.href ?? ''),
  v.maxLength(1000, 'Not a push address'),
)

/** base64url of exactly so many bytes. */
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
  /** Whose device it is; null for one that belongs to nobody in particular. */
  crewMemberId: v.nullable(Id),
})
export type NewPushSubscription = v.InferOutput<typeof NewPushSubscription>

export const PushSubscriptionRef = v.object({ id: Id })

/**
 * What a device is sent. The first two fields are a declarative web push, which a browser may show by itself; the
 * last is for our own service worker.
 */
export type PushPayload = {
  web_push: 8030
  notification: {
    title: string
    body: string
    /** What a tap on it opens. */
    navigate: string
    /** One that has the same tag takes its place. */
    tag: string
    /** How many requests wait; the number on the app's icon. */
    app_badge: number
    silent?: true
  }
  tableside: {
    /** What the tag announced is over: it is closed where that is allowed, else replaced without a sound. */
    withdraw: boolean
    /** It stays on the screen until somebody touches it. */
    urgent: boolean
  }
}
