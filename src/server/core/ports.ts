import type { DayRange, Figures, Overview } from '#contract/analytics.ts'
import type { Plan, SandboxConfirmation, SandboxSetup } from '#contract/billing.ts'
import type { ServerMessage } from '#contract/live.ts'
import type { CreatedCredential, PasskeyAssertion } from '#contract/passkeys.ts'
import type { PushAudience } from '#contract/push.ts'
import type { Database, Db } from '../storage/engine/types.ts'
import type { Device } from '../storage/push-subscriptions.ts'
import type { Delivery, Outgoing } from '../storage/push-deliveries.ts'
import type { Topic } from '../storage/streams.ts'

/** Everything an operation may reach, handed in once by app.ts. */
export type Ctx = {
  db: Database
  bus: Bus
  now: () => number
  newId: () => string
  secrets: Secrets
  /** Signs what browsers carry for us. All nodes have the same; what is signed begins with what it is for. */
  installationKey: string
  passwords: Passwords
  webAuthn: WebAuthn
  limits: Limits
  presence: (restaurantId: string) => Presence
  analytics: AnalyticsService
  payments: PaymentProvider
  push: PushSender
  pusher: PushQueue
  /** Called in order with what a transaction announced, after its COMMIT. They must not throw. */
  commitListeners: ((events: readonly Event[]) => void)[]
  /** Whether any device is pushed to, in this restaurant or at all. From memory, and a moment late. */
  hasDevices: (restaurantId?: string) => boolean
  /** Goes on after the answer; the server waits for it before it stops. What it throws is logged. */
  background: (work: () => Promise<void>) => void
  log: Log
  settings: {
    publicUrl: string
    /** The restaurant that `default` means where there are several. */
    defaultRestaurant: string | null
    billing: boolean
    guestLimits: boolean
  }
}

/** A message and who receives it. */
export type Event = { topic: Topic; message: ServerMessage }

/** Publishes a message to a topic once the transaction has committed. */
export type Announce = (topic: Topic, message: ServerMessage) => void

/** What the nodes of one installation tell each other. */
export type Signal =
  | { kind: 'event'; event: Event }
  /** These sessions lost grants: their sockets must prove themselves anew. `onPurpose` when they signed out. */
  | { kind: 'sessions-changed'; sessionIds: string[]; onPurpose?: true }
  /** Gone, or under another name, role or PIN: screens that act as this crew member must prove it anew. */
  | { kind: 'crew-member-changed'; crewMemberId: string }
  /** Something of this restaurant's could not be carried: look at the rows. */
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
      /** Whoever stopped listening since the last count signed out. */
      onPurpose?: true
    }
  /** A device of this restaurant came or went; `onPurpose` when whoever has it switched its alerts off. */
  | { kind: 'devices-changed'; restaurantId: string; onPurpose?: true }

/**
 * Carries signals between nodes, at most once: the row is the truth, an event only says "look".
 * Never throws or rejects towards its caller: what is committed stays committed.
 */
export type Bus = {
  publish(signals: readonly Signal[]): void
  subscribe(listener: (signal: Signal) => void): () => void
  /** Calls back whenever signals may have been lost, such as after a reconnection. */
  onGap(listener: () => void): () => void
  /** Whether it can carry a signal right now. */
  ready(): Promise<boolean>
  close(): Promise<void>
}

export type Log = {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Whose turn it is to have a password hashed, and the account that strangers ask for. */
export type QueueKey = { of: string; account?: string }

export type Passwords = {
  hash(password: string, turn: QueueKey): Promise<string>
  /** Takes as long for `null`, an account that does not exist, as for one that does. */
  verify(hash: string | null, password: string, turn: QueueKey): Promise<boolean>
  isCommon(password: string): boolean
}

export type Secrets = {
  /** 192 random bits, base64url. */
  newToken(): string
  /** Six random digits. */
  newDigits(): string
  /** SHA-256, base64url. */
  digest(token: string): string
  /** The first 128 bits of HMAC-SHA256, base64url. */
  sign(key: string, text: string): string
  /** For authenticator apps, which know nothing newer. */
  hmacSha1: (key: Buffer, message: Buffer) => Buffer
  /** In constant time. */
  equal(a: string, b: string): boolean
}

export type LimitName =
  | 'guest-device'
  | 'guest-table'
  | 'guest-address'
  | 'guest-restaurant'
  | 'guest-urge-device'
  | 'guest-urge-address'
  | 'guest-miss-device'
  | 'guest-miss-address'
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
  | 'oidc-address'
  | 'refusal-log'
  | 'csp-report-address'
  | 'csp-report-all'
  | 'device-code'
  | 'device-code-address'
  | 'device-code-all'
  | 'staff-password'

export type Limits = {
  /** Counts one, or throws a `rate_limited` refusal. Awaits nothing but memory. */
  take(limit: LimitName, key: string): Promise<void>
  /** Throws what `take` would throw, and counts nothing. */
  check(limit: LimitName, key: string): Promise<void>
  clear(limit: LimitName, key: string): Promise<void>
}

export type Presence = {
  listening: boolean
  screens: number
  /** Crew members who have a listening screen of their own, or a device that is pushed to. */
  listeners: ReadonlySet<string>
}

/** Whose past is asked about, and how its days are cut. */
export type AnalyticsContext = {
  restaurantId: string
  /** When the restaurant was made. */
  createdAt: number
  timeZone: string
  today: string
  now: number
  /** The crew member who may know of nothing else; null for the management. */
  whose: string | null
}

export type AnalyticsQuery =
  | { kind: 'figures'; subject: AnalyticsContext; range: DayRange }
  | { kind: 'overview'; subject: AnalyticsContext }
  /** One day's lines of the range's file; those of the first day begin with its head. */
  | { kind: 'events'; subject: AnalyticsContext; range: DayRange; day: string }

export type QueryOf<K extends AnalyticsQuery['kind']> = Extract<AnalyticsQuery, { kind: K }>

/**
 * Answers questions about the past away from the thread that serves guests and crew: a season's requests are read
 * and folded in one go.
 */
export type AnalyticsService = {
  figures(question: QueryOf<'figures'>): Promise<Figures>
  overview(question: QueryOf<'overview'>): Promise<Overview>
  /** UTF-8. */
  events(question: QueryOf<'events'>): Promise<Uint8Array>
  close(): Promise<void>
}

export type PushMessage = {
  payload: string
  /** Of several that wait for one device at the push service, the last with the same topic is kept. */
  topic: string
  urgency: Delivery['urgency']
  /** How long the push service keeps it for a device that is not reached, in seconds. */
  ttl: number
}

/**
 * The browsers' push services. Never throws: `gone` when the address is of no use any more or never was, `failed`
 * when it may work another time.
 */
export type PushSender = {
  /** What browsers subscribe with. */
  publicKey: string
  send(to: Pick<Device, 'endpoint' | 'p256dh' | 'auth'>, message: PushMessage): Promise<PushOutcome>
  /** What is under way fails. */
  close(): void
}

export type PushOutcome = 'sent' | 'gone' | 'failed'

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
}

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

/** Where a passkey belongs: `rpId` is the host that it is made for, `origin` the page that may use it. */
export type PasskeySite = { rpId: string; origin: string }

type Expected = PasskeySite & { challenge: string }

/** Checks what browsers answer. Both ask for user verification; null means that it is not what was asked for. */
export type WebAuthn = {
  verifyCreated(
    credential: CreatedCredential,
    expected: Expected,
  ): Promise<{ credentialId: string; publicKey: string; counter: number } | null>
  /** `counter` is how often the authenticator says that it was used. */
  verifyAssertion(
    assertion: PasskeyAssertion,
    expected: Expected,
    publicKey: string,
  ): Promise<{ counter: number } | null>
}

/** A card that is being put in, as the provider has it. */
export type PaymentSetup = {
  id: string
  customerId: string | null
  /** What we wrote on it when it was made. */
  restaurantId: string | null
  priceId: string | null
  attemptId: string | null
  /** The provider's word; `succeeded` when the card may be charged. */
  status: string
  /** Why it has not succeeded, in the provider's words for people. */
  problem: string | null
  paymentMethodId: string | null
}

/** A subscription as the provider had it when it was asked. */
export type SubscriptionSnapshot = {
  id: string
  customerId: string
  /** The provider's word. One that we do not know counts as not active. */
  status: string
  plan: Plan
  priceId: string
  nextPlan: Plan | null
  currentPeriodEnd: number | null
  cancelAtPeriodEnd: boolean
  createdAt: number
  /** Of the attempt it was made for. */
  setupIntentId: string | null
}

/** `clientSecret`: the first charge needs a step of the customer's bank. */
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
 * The payment provider. Throws `Refusal`: `payment_required` with the provider's words when a card is refused,
 * `unavailable` when it does not answer. Every call may be repeated: what it makes, it makes once.
 */
export type PaymentProvider = {
  provider: 'stripe' | 'sandbox'
  /** Names the books that customers and subscriptions are in: test mode has its own. */
  ledger: string
  publishableKey: string | null
  /** The two prices, verified to be what the plans cost; refuses when they are not. */
  prices(): Promise<Record<Plan, string>>
  /** `replaces`: the customer that was deleted there. */
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
  /** Nothing when there is no such setup. */
  setup(id: string): Promise<PaymentSetup | undefined>
  /** All that the customer ever had. */
  subscriptions(customerId: string): Promise<SubscriptionSnapshot[]>
  subscription(id: string): Promise<ChargeResult>
  /** Charges the card of the setup for the first time; `incomplete` when that fails. */
  subscribe(wanted: {
    customerId: string
    restaurantId: string
    plan: Plan
    setup: PaymentSetup & { priceId: string }
  }): Promise<ChargeResult>
  /** Ends it at once. */
  end(subscriptionId: string): Promise<void>
  cancelAtPeriodEnd(subscriptionId: string): Promise<SubscriptionSnapshot>
  resume(subscriptionId: string): Promise<SubscriptionSnapshot>
  /** At once to the yearly plan, at the end of the period to the monthly one; back to the present one: neither. */
  changePlan(subscriptionId: string, plan: Plan): Promise<SubscriptionSnapshot>
  /** A page of the provider's where cards are changed and invoices lie. */
  portal(customerId: string): Promise<string>
  /** Refuses what the provider has not signed within the last 5 minutes; null for what does not concern us. */
  readEvent(raw: Uint8Array, signature: string): WebhookEvent | null
  /** What only the sandbox can do. */
  sandbox: {
    confirm(setupIntentId: string, confirmation: SandboxConfirmation): Promise<SandboxSetup>
    /** Moves the customer's clock to just after the next renewal. */
    advance(customerId: string): Promise<void>
  } | null
}
