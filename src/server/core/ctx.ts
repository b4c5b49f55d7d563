import type { ServerMessage } from '#contract/live.ts'
import type { PushAudience, PushedNeed, PushedRequest } from '#contract/push.ts'
import type { ExpectedTime } from '#contract/requests/requests.ts'
import type { GuestCatalogues } from '#contract/texts/catalogue.ts'
import type { AnalyticsService } from '../ports/analytics.ts'
import type { Bus, Event } from '../ports/bus.ts'
import type { ExportService } from '../ports/exports.ts'
import type { Limits } from '../ports/limits.ts'
import type { Log, Metrics, Trace } from '../ports/monitoring.ts'
import type { Mailer, Outbound } from '../ports/outbound.ts'
import type { PaymentProvider } from '../ports/payments.ts'
import type { Presence } from '../ports/presence.ts'
import type { PushSender } from '../ports/push.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { Passwords, WebAuthn } from '../ports/sign-in.ts'
import type { Database, Db } from '../storage/engine/types.ts'
import type { Delivery, Outgoing } from '../storage/push/push-deliveries.ts'
import type { Device } from '../storage/push/push-subscriptions.ts'
import type { NeedKey } from '../storage/requests/asked-need.ts'
import type { RequestEvent } from '../storage/requests/request-events.ts'
import type { Topic } from '../storage/streams.ts'

/** Everything that operations depend on: the ports, and what `core` itself keeps running. `create-ctx.ts` makes it. */
export type Ctx = {
  db: Database
  bus: Bus
  now: () => number
  newId: () => string
  secrets: Secrets
  /** Signs what browsers store for us; the same on all nodes. Every signed text starts with its purpose. */
  installationKey: string
  passwords: Passwords
  webAuthn: WebAuthn
  limits: Limits
  /** How many processes share what is divided between them: workers of all servers. */
  countProcesses: () => number
  presence: (restaurantId: string) => Presence
  analytics: AnalyticsService
  exports: ExportService
  /** How long a request is expected to take, if it was worked out already. */
  expectedTime: (restaurantId: string, serviceType: NeedKey, openCount: number) => ExpectedTime | null
  payments: PaymentProvider
  push: PushSender
  pusher: PushQueue
  /** Null when the operator has set up no mail server. */
  mail: Mailer | null
  outbound: Outbound
  /** Sends what nobody in the restaurant answers to the addresses outside that its owner named; called every second. */
  outsideAlerts: { sendDue(): Promise<void> }
  /** Stores that screens have shown requests, a moment later and together with what other screens have shown. */
  sightings: { add(restaurantId: string, sightings: readonly RequestEvent[]): Promise<void> }
  /** Limits the steps of alerts that run at once: nobody waits for them. */
  alertSteps: { run<T>(key: string, task: () => Promise<T>): Promise<T> }
  /** Called in order with what a transaction announced, after its COMMIT. They must not throw. */
  commitListeners: ((events: readonly Event[]) => void)[]
  /** Whether any device receives pushes, in this restaurant or at all. Kept in memory, so it may lag slightly. */
  hasDevices: (restaurantId?: string) => boolean
  /** Runs a task in the background. The server waits for it before stopping, and logs its errors. */
  background: (work: () => Promise<void>) => void
  /** Aborted when the server begins to stop: long work ends between two of its steps, and is taken up again later. */
  stopping: AbortSignal
  /** The languages in which guests read the names of needs. */
  guestCatalogues: GuestCatalogues
  log: Log
  metrics: Metrics
  trace: Trace
  settings: {
    publicUrl: string
    /** The restaurant that `default` stands for if there are several. */
    defaultRestaurant: string | null
    billing: boolean
    guestLimits: boolean
    /** Whether visitors may try a demo restaurant of their own. */
    tryDemo: boolean
    /** The backups that the server makes by itself. */
    backup: { everyMs: number; keep: number } | null
  }
}

/** Publishes a message to a topic once the transaction has committed. */
export type Announce = (topic: Topic, message: ServerMessage) => void

export type NotificationText = { title: string; body: string }

/** A device shows one notification per tag. */
export type PushNotification = {
  tag: string
  text: NotificationText | Record<PushAudience, NotificationText>
  urgency: Delivery['urgency']
  /** How long the notification is worth delivering, in milliseconds. */
  ttlMs: number
  kind: 'alert' | 'withdrawal'
  /** It stays on the screen until somebody touches it. */
  urgent: boolean
  /** Crew devices offer buttons for it. */
  request?: PushedRequest
  need?: PushedNeed
}

/** Stores every delivery before sending it, so that a crash or an outage of a push service only delays it. */
export type PushQueue = {
  /** Runs `task` in one transaction with the deliveries that it returns, then sends them. */
  storeAndSend(task: (db: Db) => Promise<Outgoing[]>): Promise<void>
  /** The same after the answer, and only where the restaurant has devices. */
  sendInBackground(restaurantId: string, task: (db: Db) => Promise<Outgoing[]>): void
  /** Sends what a transaction has stored, after its COMMIT. */
  send(outgoing: Outgoing[]): void
  /** Stores deliveries of `notification` for `devices`; to be returned from the task of `storeAndSend`. */
  notify(db: Db, restaurantId: string, devices: Device[], notification: PushNotification): Promise<Outgoing[]>
  /** Stores deliveries that replace the notification on every device that was sent one with the same tag. */
  withdraw(db: Db, restaurantId: string, notification: PushNotification): Promise<Outgoing[]>
  /** Sends what is due; called every second. */
  sendDue(): Promise<void>
}
