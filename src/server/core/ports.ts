import type { Readable } from 'node:stream'
import type { DayRange, ExpectedTimes, Figures, Overview } from '#contract/analytics.ts'
import type { Plan, SandboxConfirmation, SandboxSetup } from '#contract/billing.ts'
import type { ServerMessage } from '#contract/live.ts'
import type { CreatedCredential, PasskeyAssertion } from '#contract/accounts/passkeys.ts'
import type { ExpectedTime } from '#contract/requests/requests.ts'
import type { PushAudience, PushedNeed, PushedRequest } from '#contract/push.ts'
import type { NeedKey } from '../storage/requests/asked-need.ts'
import type { Database, Db } from '../storage/engine/types.ts'
import type { Device } from '../storage/push/push-subscriptions.ts'
import type { Delivery, Outgoing } from '../storage/push/push-deliveries.ts'
import type { RequestEvent } from '../storage/requests/request-events.ts'
import type { RequestEventKind } from '../storage/schema.ts'
import type { Topic } from '../storage/streams.ts'

/** Everything that operations depend on, provided by app.ts. */
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
  outsideAlerts: OutsideAlerts
  sightings: Sightings
  /** Limits the steps of alerts that run at once: nobody waits for them. */
  alertSteps: { run<T>(key: string, task: () => Promise<T>): Promise<T> }
  /** Called in order with what a transaction announced, after its COMMIT. They must not throw. */
  commitListeners: ((events: readonly Event[]) => void)[]
  /** Whether any device receives pushes, in this restaurant or at all. Kept in memory, so it may lag slightly. */
  hasDevices: (restaurantId?: string) => boolean
  /** Runs a task in the background. The server waits for it before stopping, and logs its errors. */
  background: (work: () => Promise<void>) => void
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

/** A message and who receives it. */
export type Event = { topic: Topic; message: ServerMessage }

/** Publishes a message to a topic once the transaction has committed. */
export type Announce = (topic: Topic, message: ServerMessage) => void

/** Signals between the nodes of one installation. */
export type Signal =
  | { kind: 'event'; event: Event }
  /** These sessions lost grants, so their sockets must be checked again. `onPurpose` when they signed out. */
  | { kind: 'sessions-changed'; sessionIds: string[]; onPurpose?: true }
  /** Removed, or with another name, role or PIN: screens that act as this crew member must be checked again. */
  | { kind: 'crew-member-changed'; crewMemberId: string }
  /** A signal of this restaurant could not be delivered: read the rows instead. */
  | { kind: 'missed'; restaurantId: string }
  /** How many staff screens of a restaurant one node has. */
  | {
      kind: 'presence'
      node: string
      restaurantId: string
      listening: number
      screens: number
      /** Crew members with a listening screen. */
      crew: string[]
      /** Whoever stopped listening since the last count did so by signing out. */
      onPurpose?: true
    }
  | LimitsSignal
  /** A device of this restaurant was added or removed; `onPurpose` when its user turned the alerts off. */
  | { kind: 'devices-changed'; restaurantId: string; onPurpose?: true }

/** What a server counted since it last said so. Sent without anything once a second, it says that the server lives. */
export type LimitsSignal = {
  kind: 'limits'
  /** The server, all its workers together. */
  server: string
  /** Rises with each signal of this server. */
  number: number
  counts: LimitCount[]
  /** How many sockets of a key are open there. */
  sockets: [key: string, open: number][]
  /** All that it knows, for a server that has just started or missed something. */
  areTotals?: true
  /** The others are to say all that they know, too. */
  asks?: true
  /** It stops. */
  leaves?: true
}

/** `leftMs`: until the window ends. */
export type LimitCount = [limit: LimitName, key: string, count: number, leftMs: number]

/**
 * Delivers signals between nodes, at most once: the rows are authoritative, and a signal is only a reason to read them.
 * It never throws or rejects, because what it announces is already committed.
 */
export type Bus = {
  publish(signals: readonly Signal[]): void
  subscribe(listener: (signal: Signal) => void): () => void
  /** Calls back whenever signals may have been lost, such as after a reconnection. */
  onGap(listener: () => void): () => void
  /** Whether it can deliver signals right now. */
  ready(): Promise<boolean>
  close(): Promise<void>
}

export type Log = {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** A guest's tap, other calls of the guest page, calls of staff, pages and their files, or messages of screens. */
export type Answered = 'tap' | 'guest' | 'staff' | 'page' | 'live'
export type Retried = 'transaction' | 'bus' | 'push' | 'outside' | 'payment'

/** What operators watch. A call costs about a microsecond. */
export type Metrics = {
  /** `status`: as HTTP has it, for the live channel too. */
  answered: (what: Answered, status: number, seconds: number) => void
  happened: (kind: RequestEventKind) => void
  tapSeen: (seconds: number) => void
  /** How many transactions shared a COMMIT, and how long it took. */
  committed: (transactions: number, seconds: number) => void
  /** How long a signal took to the broker and back. */
  busAnswered: (seconds: number) => void
  retried: (what: Retried) => void
}

/** Does `work`, and shows in the operator's traces how long it took. The name says nothing about whom it is for. */
export type Trace = <T>(name: string, work: () => Promise<T>) => Promise<T>

/**
 * The caller whose passwords are hashed one after the other, and the account that strangers try to sign in to. Places
 * are kept for callers of either standing: `known` has signed in to the account before or is signed in, `named` gave
 * the name of a restaurant that exists.
 */
export type QueueKey = { of: string; account?: string; standing?: Standing }

export type Standing = 'known' | 'named'

export type Passwords = {
  hash(password: string, key: QueueKey): Promise<string>
  /** Takes as long for `null`, an account that does not exist, as for one that does. */
  verify(hash: string | null, password: string, key: QueueKey): Promise<boolean>
  isCommon(password: string): boolean
}

export type Secrets = {
  /** 192 random bits, base64url. */
  newToken(): string
  /** 256 random bits. */
  newKey(): Buffer
  /** Six random digits. */
  newDigits(): string
  /** SHA-256, base64url. */
  digest(token: string): string
  /** The first 128 bits of HMAC-SHA256, base64url. */
  sign(key: string, text: string): string
  /** For authenticator apps, which support nothing newer. */
  hmacSha1: (key: Buffer, message: Buffer) => Buffer
  /** For webhooks. */
  hmacSha256: (key: Buffer, message: string) => Buffer
  /** In constant time. */
  equal(a: string, b: string): boolean
}

export type LimitName =
  | 'guest-device'
  | 'guest-table'
  | 'guest-address'
  | 'guest-restaurant'
  | 'guest-still-waiting-device'
  | 'guest-still-waiting-address'
  | 'guest-miss-device'
  | 'guest-miss-address'
  | 'guest-note-device'
  | 'guest-note-table'
  | 'guest-note-address'
  | 'guest-note-restaurant'
  | 'guest-button'
  | 'guest-button-miss'
  | 'guest-link-miss'
  | 'api-token'
  | 'api-token-miss'
  | 'login'
  | 'login-address'
  | 'login-account'
  | 'login-device'
  | 'pin'
  | 'pin-browser'
  | 'pin-member'
  | 'new-name-hour'
  | 'new-name-day'
  | 'new-name-all'
  | 'code-sheet'
  | 'restaurant-export'
  | 'oidc-address'
  | 'refusal-log'
  | 'csp-report-address'
  | 'csp-report-all'
  | 'device-code'
  | 'device-code-address'
  | 'device-code-all'
  | 'staff-password'
  | 'outside-test'
  | 'outside-again'
  | 'mailed-code'
  | 'mailed-code-address'
  | 'mailed-link'
  | 'mailed-link-address'
  | 'mailed-link-caller'

export type LimitKey = readonly [limit: LimitName, key: string]

/** Counted for all workers of a server together, and for all servers of an installation. */
export type Limits = {
  /** Counts one, or throws a `rate_limited` refusal. */
  take(limit: LimitName, key: string): Promise<void>
  /** Throws what `take` would throw, and counts nothing. */
  check(limit: LimitName, key: string): Promise<void>
  clear(limit: LimitName, key: string): Promise<void>
  /**
   * Counts one for each of `taken` and forgets `cleared`, or throws and does nothing if any of `taken` and `alsoChecked`
   * is full. Nothing else is counted in between.
   */
  takeAll(
    taken: readonly LimitKey[],
    alsoChecked?: readonly LimitKey[],
    cleared?: readonly LimitKey[],
  ): Promise<void>
}

export type Presence = {
  listening: boolean
  screens: number
  /** Crew members with a listening screen of their own, or a device that receives pushes. */
  listeners: ReadonlySet<string>
}

/** The restaurant that a query is about, and where its days begin. */
export type AnalyticsContext = {
  restaurantId: string
  /** When the restaurant was created. */
  createdAt: number
  timeZone: string
  today: string
  now: number
  /** Limits the answer to this crew member; null for the management. */
  scope: string | null
}

export type AnalyticsQuery =
  | { kind: 'figures'; subject: AnalyticsContext; range: DayRange }
  | { kind: 'overview'; subject: AnalyticsContext }
  | { kind: 'expectedTimes'; subject: Pick<AnalyticsContext, 'restaurantId' | 'now'> }
  /** One day's lines of the range's file; those of the first day start with the header. */
  | { kind: 'events'; subject: AnalyticsContext; range: DayRange; day: string }

export type QueryOf<K extends AnalyticsQuery['kind']> = Extract<AnalyticsQuery, { kind: K }>

/**
 * Answers analytics queries outside the thread that serves guests and crew, because they read and aggregate a season's
 * requests at once.
 */
export type AnalyticsService = {
  figures(query: QueryOf<'figures'>): Promise<Figures>
  overview(query: QueryOf<'overview'>): Promise<Overview>
  expectedTimes(query: QueryOf<'expectedTimes'>): Promise<ExpectedTimes>
  /** UTF-8. */
  events(query: QueryOf<'events'>): Promise<Uint8Array>
  close(): Promise<void>
}

/** Everything about a restaurant in one file, which can be read once. */
export type RestaurantArchive = { name: string; bytes: number; chunks: Readable }

/** Writes such files outside the thread that serves guests and crew. */
export type ExportService = {
  /** Refused while another is written. `begun` is called when it is this one's turn, and may refuse it. */
  write(
    job: { restaurantId: string; now: number },
    watch: { signal: AbortSignal; begun: () => Promise<void> },
  ): Promise<RestaurantArchive>
  close(): Promise<void>
}

export type PushMessage = {
  payload: string
  /** When several messages with the same topic wait for a device, the push service keeps the last. */
  topic: string
  urgency: Delivery['urgency']
  /** How long the push service keeps it for an unreachable device, in seconds. */
  ttl: number
}

/** The browsers' push services. Never throws: `gone` when the address is not valid, `failed` when a retry may work. */
export type PushSender = {
  /** Browsers need it to subscribe. */
  publicKey: string
  send(to: Pick<Device, 'endpoint' | 'p256dh' | 'auth'>, message: PushMessage): Promise<PushOutcome>
  /** Messages being sent fail. */
  close(): void
}

export type PushOutcome = 'sent' | 'gone' | 'failed'

/** Whether something was delivered: if not, the problem in words for an owner, without anybody's secret. */
export type DeliveryOutcome = { problem: string | null }

/** The operator's mail server. Never throws. */
export type Mailer = {
  /** A repeat with the same id is the same mail. */
  send(mail: { id: string; to: string; subject: string; text: string }): Promise<DeliveryOutcome>
  /** Mails being sent fail. */
  close(): void
}

/** Calls addresses that owners chose, which must be public or named by the operator. Never throws. */
export type Outbound = {
  /** Why this address is refused; null if it may be called. What a name resolves to is checked by `post`. */
  problem(url: URL): string | null
  /** Delivered if the answer is a success. */
  post(url: URL, message: { headers: Record<string, string>; body: string }): Promise<DeliveryOutcome>
  /** Calls being made fail. */
  close(): void
}

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

/** Stores that screens have shown requests, a moment later and together with what others of the restaurant have shown. */
export type Sightings = { add: (restaurantId: string, sightings: readonly RequestEvent[]) => Promise<void> }

/** Stores every delivery before sending it, so that a crash or an outage of a push service only delays it. */
export type PushQueue = {
  /** Runs `task` in one transaction with the deliveries that it returns, then sends them. */
  storeAndSend(task: (db: Db) => Promise<Outgoing[]>): Promise<void>
  /** The same after the answer, and only where the restaurant has devices. */
  sendInBackground(restaurantId: string, task: (db: Db) => Promise<Outgoing[]>): void
  /** Stores deliveries of `notification` for `devices`; to be returned from the task of `storeAndSend`. */
  notify(db: Db, restaurantId: string, devices: Device[], notification: PushNotification): Promise<Outgoing[]>
  /** Stores deliveries that replace the notification on every device that was sent one with the same tag. */
  withdraw(db: Db, restaurantId: string, notification: PushNotification): Promise<Outgoing[]>
  /** Sends what is due; called every second. */
  sendDue(): Promise<void>
}

/** Sends what nobody in the restaurant answers to the addresses outside that its owner named. */
export type OutsideAlerts = {
  /** Starts sending what is due; called every second. */
  sendDue(): Promise<void>
}

/** Where a passkey is valid: `rpId` is the host it is created for, `origin` the page that may use it. */
export type PasskeySite = { rpId: string; origin: string }

type Expected = PasskeySite & { challenge: string }

/** Verifies what browsers return. Both require user verification; null means that verification failed. */
export type WebAuthn = {
  verifyCreated(
    credential: CreatedCredential,
    expected: Expected,
  ): Promise<{ credentialId: string; publicKey: string; counter: number } | null>
  /** `counter` is the authenticator's signature counter. */
  verifyAssertion(
    assertion: PasskeyAssertion,
    expected: Expected,
    publicKey: string,
  ): Promise<{ counter: number } | null>
}

/** The set-up of a card, as the provider has it. */
export type PaymentSetup = {
  id: string
  customerId: string | null
  /** From the metadata that we stored with it. */
  restaurantId: string | null
  priceId: string | null
  attemptId: string | null
  /** The provider's status; `succeeded` when the card can be charged. */
  status: string
  /** Why it has not succeeded: the provider's message for users. */
  problem: string | null
  paymentMethodId: string | null
}

/** A subscription as the provider had it at the time of the call. */
export type SubscriptionSnapshot = {
  id: string
  customerId: string
  /** The provider's status. An unknown one counts as not active. */
  status: string
  plan: Plan
  priceId: string
  nextPlan: Plan | null
  currentPeriodEnd: number | null
  cancelAtPeriodEnd: boolean
  createdAt: number
  /** The set-up of the attempt it was created for. */
  setupIntentId: string | null
}

/** `clientSecret` is set when the customer's bank must confirm the first charge. */
export type ChargeResult = { snapshot: SubscriptionSnapshot; clientSecret: string | null }

/** What a webhook is about. */
export type WebhookEvent = {
  id: string
  type: string
  objectId: string
  customerId: string | null
  livemode: boolean
}

/**
 * The payment provider. Throws `Refusal`: `payment_required` with the provider's message when a card is declined,
 * `unavailable` when it does not answer. Every call is idempotent.
 */
export type PaymentProvider = {
  provider: 'stripe' | 'sandbox'
  /** Identifies the set of customers and subscriptions: test mode has its own. */
  ledger: string
  publishableKey: string | null
  /** The two price ids. Refuses when they do not match what the plans cost. */
  prices(): Promise<Record<Plan, string>>
  /** `replaces` is the customer that was deleted at the provider. */
  createCustomer(customer: {
    restaurantId: string
    name: string
    email: string | null
    replaces: string | null
  }): Promise<string>
  hasCustomer(customerId: string): Promise<boolean>
  createSetup(wanted: {
    customerId: string
    restaurantId: string
    plan: Plan
    priceId: string
    attemptId: string
  }): Promise<{ id: string; clientSecret: string }>
  /** Undefined when the set-up does not exist. */
  setup(id: string): Promise<PaymentSetup | undefined>
  /** All subscriptions that the customer has ever had. */
  subscriptions(customerId: string): Promise<SubscriptionSnapshot[]>
  subscription(id: string): Promise<ChargeResult>
  /** Charges the card of the set-up for the first time; the status is `incomplete` if that fails. */
  subscribe(wanted: {
    customerId: string
    restaurantId: string
    plan: Plan
    setup: PaymentSetup & { priceId: string }
  }): Promise<ChargeResult>
  /** Ends the subscription immediately. */
  end(subscriptionId: string): Promise<void>
  cancelAtPeriodEnd(subscriptionId: string): Promise<SubscriptionSnapshot>
  resume(subscriptionId: string): Promise<SubscriptionSnapshot>
  /** To yearly: at once. To monthly: at the end of the period. To the current plan: cancels a pending change. */
  changePlan(subscriptionId: string, plan: Plan): Promise<SubscriptionSnapshot>
  /** The provider's page for cards and invoices. */
  portal(customerId: string): Promise<string>
  /** Refuses an event that the provider did not sign within the last 5 minutes; null for irrelevant events. */
  readEvent(raw: Uint8Array, signature: string): WebhookEvent | null
  /** Only in the sandbox. */
  sandbox: {
    confirm(setupIntentId: string, confirmation: SandboxConfirmation): Promise<SandboxSetup>
    /** Moves the customer's clock to just after the next renewal. */
    advance(customerId: string): Promise<void>
  } | null
}
