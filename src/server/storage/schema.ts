import type { AuditAction } from '#contract/audit.ts'
import type { CrewRole } from '#contract/crew.ts'
import type { QuickMessageKey } from '#contract/messages.ts'
import type { PushAudience } from '#contract/push.ts'
import type { ServiceType } from '#contract/requests.ts'

/**
 * The tables in both engines. Times are epoch milliseconds, local days are yyyy-MM-dd, ids are text. Two names are the
 * same when their `…Key` columns are (`nameKey` of the contract).
 */
export type Schema = {
  restaurant: {
    id: string
    name: string
    /** IANA name; "today" on the server is the day there. */
    timeZone: string
    /** The generation of the printed codes; raising it makes every older code unverified. */
    codeGeneration: number
    /** Signs the printed codes; base64url. */
    codeKey: string
    /** When the first manager's credentials were set. Guards the first set-up, so that it happens once. */
    managedSince: number | null
    /** Also accepted by Restaurant Login instead of the account's password, and nowhere else. */
    staffPasswordHash: string | null
    staffPasswordSetAt: number | null
    /** 1: a request without a valid code is refused. */
    verifiedOnly: number
    /** 1: only crew members with a PIN can be chosen at a screen. */
    pinRequired: number
    createdAt: number
  }
  /** Every name a restaurant has had, the current one included, so that printed codes survive a rename. */
  restaurantName: { nameKey: string; restaurantId: string }
  owner: {
    id: string
    /** Null between a first sign-in through OpenID Connect and onboarding. */
    restaurantId: string | null
    email: string
    emailKey: string
    passwordHash: string | null
    oidcIssuer: string | null
    oidcSubject: string | null
    createdAt: number
  }
  manager: {
    restaurantId: string
    id: string
    username: string
    usernameKey: string
    passwordHash: string
    /** The manager whose credentials were set last is the current one. */
    setAt: number
  }
  session: {
    id: string
    /** SHA-256 of the cookie; the cookie itself is not stored. */
    tokenHash: string
    restaurantId: string | null
    createdAt: number
    /** A description from the last sign-in; null for sign-ins from before it was stored. */
    browser: string | null
    /** The name that people gave this device. */
    name: string | null
  }
  sessionGrant: {
    sessionId: string
    kind: GrantKind
    subjectId: string
    /** The grant is valid only while the session belongs to this restaurant. */
    restaurantId: string | null
    authAt: number
    idleUntil: number
    absoluteUntil: number
    via: SignInMethod
  }
  /** A browser in which the crew member's PIN was entered. */
  crewUnlock: { sessionId: string; crewMemberId: string; until: number }
  crewMember: {
    restaurantId: string
    id: string
    name: string
    nameKey: string
    role: CrewRole
    pinHash: string | null
    /** Unique across restaurants: /waiter-login names none. */
    usernameKey: string | null
    username: string | null
    passwordHash: string | null
    createdAt: number
    deletedAt: number | null
  }
  floorTable: {
    restaurantId: string
    id: string
    tableNumber: string
    numberKey: string
    category: 'table' | 'host stand'
    createdAt: number
  }
  /** Guests at the table cannot ask, until `until` or until somebody unmutes it. */
  mutedTable: {
    restaurantId: string
    tableKey: string
    tableNumber: string
    until: number | null
    byId: string | null
    byName: string
  }
  tableAssignment: {
    restaurantId: string
    date: string
    tableId: string
    /** Empty for a table, which has one crew member a day; the member's id at the host stand. */
    slot: string
    crewMemberId: string
  }
  serviceRequest: {
    restaurantId: string
    id: string
    /** Null while the restaurant has set up no tables. */
    tableId: string | null
    tableNumber: string
    tableKey: string
    serviceType: ServiceType
    createdAt: number
    /** The restaurant's local day at `createdAt`. */
    localDay: string
    asks: number
    lastAskedAt: number
    seen: number
    /** When a staff screen first showed it. */
    seenAt: number | null
    level: number
    verified: number
    acceptedAt: number | null
    acceptedBy: string | null
    acceptedByName: string | null
    /** The first acceptance that was not given back, even if it has expired since. */
    answeredAt: number | null
    answeredBy: string | null
    /** When it was completed or cancelled; null while the request is open. */
    closedAt: number | null
    closedAs: 'completed' | 'cancelled' | null
    closedBy: string | null
    closedByName: string | null
    /** Ids of the crew members it alerts first, separated by spaces; empty for all crew. */
    crew: string
    /** When it alerts more people; null when it already alerts everybody, or somebody is on the way. */
    nextLevelAt: number | null
    /** When the acceptance expires. */
    acceptUntil: number | null
    /**
     * The level at which devices show it; -1 when none does. `reminderDue` and `reminderSent` while somebody is on the
     * way and is to be reminded, or was reminded, that the guest still waits.
     */
    pushedLevel: number
    /** How often guests said that they still wait, and when last. */
    stillWaiting: number
    stillWaitingAt: number | null
  }
  /** `nextAlertAt` is null once the call is claimed. */
  roleCall: {
    restaurantId: string
    id: string
    role: CrewRole
    messageKey: QuickMessageKey
    tableNumber: string | null
    fromId: string
    fromName: string
    createdAt: number
    alerts: number
    nextAlertAt: number | null
    claimedAt: number | null
    claimedBy: string | null
    claimedByName: string | null
  }
  crewBreak: { restaurantId: string; crewMemberId: string; coverId: string | null; since: number }
  /** JSON of the contract's AlertSettings. */
  alertSetting: { restaurantId: string; settings: string }
  /**
   * What happened to a request; append-only. The id keeps an event from being stored twice: the guest's own id for a tap,
   * `seen:{request}:{session}` when a screen shows it, `back:{tap}` for a tap taken back, else a new id.
   */
  requestEvent: {
    restaurantId: string
    id: string
    requestId: string
    at: number
    kind: RequestEventKind
    actorKind: 'guest' | 'crew' | 'manager' | 'owner' | 'device' | 'system'
    /** The crew member, manager or owner; for a guest the device's random id. */
    actorId: string | null
    actorName: string | null
  }
  /** The number of the last event in each stream of a restaurant: `staff`, or `crew:{id}`. */
  liveStream: { restaurantId: string; name: string; lastSeq: number }
  teamMessage: {
    restaurantId: string
    id: string
    senderCrewId: string
    senderCrewName: string
    targetCrewId: string
    targetCrewName: string
    messageKey: string | null
    messageText: string
    createdAt: number
    deletedAt: number | null
  }
  /** A guest's device at a table. A visit ends 3 hours after it started. */
  guestVisit: { restaurantId: string; guestId: string; tableKey: string; startedAt: number }
  qrCode: { restaurantId: string; generation: number; link: string; png: string; createdAt: number }
  /** `provider`, here and below, is the ledger: live and test mode of a provider have different customers. */
  paymentCustomer: { restaurantId: string; provider: string; customerId: string; deletedAt: number | null }
  /** One attempt to subscribe. Its id seeds the idempotency keys of everything created for it. */
  paymentAttempt: {
    restaurantId: string
    id: string
    plan: 'monthly' | 'yearly'
    priceId: string
    setupIntentId: string | null
    state: 'open' | 'subscribed' | 'superseded'
    createdAt: number
  }
  /** The provider's last answer. */
  subscription: {
    restaurantId: string
    provider: string
    subscriptionId: string
    setupIntentId: string | null
    status: string
    plan: 'monthly' | 'yearly'
    priceId: string
    /** The plan from the end of the current period on. */
    nextPlan: 'monthly' | 'yearly' | null
    currentPeriodEnd: number | null
    cancelAtPeriodEnd: number
    /** When the provider was asked; only an answer to a later question may change the row. */
    asOf: number
  }
  /** The inbox of webhooks. An event is only a reason to ask the provider. */
  paymentEvent: {
    provider: string
    eventId: string
    type: string
    objectId: string
    customerId: string | null
    livemode: number
    receivedAt: number
    processedAt: number | null
    attempts: number
    /** The time of the next attempt; null when it was processed or abandoned. */
    nextAt: number | null
    error: string | null
  }
  /** A lease: the only caller that may talk to the payment provider about a restaurant until then. */
  billingLock: { restaurantId: string; holder: string; until: number }
  /** The sandbox provider's data; `value` is JSON. */
  sandboxObject: { id: string; customerId: string; kind: string; value: string; version: number }
  pushSubscription: {
    restaurantId: string
    id: string
    sessionId: string
    crewMemberId: string | null
    /** Secret: whoever knows it can send to the device. */
    endpoint: string
    p256dh: string
    auth: string
    createdAt: number
    audience: PushAudience
    /** When the device was last in use. */
    seenAt: number
  }
  /** A notification to send to a device, or one that it shows until it is withdrawn; the latest of each tag. */
  pushDelivery: {
    restaurantId: string
    subscriptionId: string
    tag: string
    /** New whenever the content changes. */
    id: string
    /** JSON of the contract's PushPayload. */
    payload: string
    urgency: 'high' | 'normal'
    /** Not sent after this time. */
    until: number
    /** 1 when it will be withdrawn later, so that the row stays after it was sent. */
    stays: number
    attempts: number
    /** The time of the next attempt; null once it was sent. */
    nextAt: number | null
    /** The node that is sending it, or the notification it replaces, until `nextAt`; null while none is. */
    sender: string | null
  }
  /** `raisedAt` is null while somebody listens. Only the node that changes the row raises or ends the alarm. */
  listeningAlarm: { restaurantId: string; raisedAt: number | null }
  /** When a restaurant's last listening screen disconnected, and when one connected again. */
  listeningChange: { restaurantId: string; id: string; at: number; listening: number }
  /** What somebody changed in the restaurant; append-only. `detail` is JSON without secrets. */
  auditEntry: {
    restaurantId: string
    id: string
    at: number
    actorKind: 'owner' | 'manager' | 'crew' | 'device' | 'system'
    actorId: string | null
    actorName: string
    action: AuditAction
    detail: string
  }
  /** The code that signs in a device. A restaurant has one; the next replaces it. */
  deviceCode: {
    restaurantId: string
    id: string
    /** HMAC of the six digits. */
    digitsProof: string
    /** SHA-256 of the link's token. */
    tokenHash: string
    /** The owner's or manager's id. */
    madeBy: string
    expiresAt: number
    /** The number of attempts with digits, correct ones included. */
    tries: number
    usedAt: number | null
    /** The name of the device that used it. */
    usedBy: string | null
  }
  /** A person has ten; a used one is deleted. */
  recoveryCode: {
    restaurantId: string
    subjectKind: 'owner' | 'manager'
    subjectId: string
    /** SHA-256; the code itself is random and not stored. */
    codeHash: string
    createdAt: number
  }
  /** A link with which an owner sets a new password, once. */
  passwordReset: { restaurantId: string; ownerId: string; tokenHash: string; expiresAt: number }
  /** A notice that the owner sees until they dismiss it. `about` names a manager. */
  ownerNotice: {
    restaurantId: string
    id: string
    at: number
    kind:
      | 'manager-set-up-by-device'
      | 'password-reset-by-code'
      | 'password-reset-by-link'
      | 'manager-password-reset'
    about: string | null
  }
  /** The secret of an authenticator app. Its codes are required from `confirmedAt` on. */
  authenticator: {
    restaurantId: string
    kind: 'owner' | 'manager'
    subjectId: string
    /** 20 random bytes, base64url. */
    secret: string
    createdAt: number
    confirmedAt: number | null
    /** The time step of the last accepted code: none is accepted twice. */
    lastStep: number
  }
  /** An owner or manager can sign in with it instead of a password. */
  passkey: {
    restaurantId: string
    id: string
    kind: 'owner' | 'manager'
    subjectId: string
    /** base64url, like the public key. Unique across restaurants: a sign-in with it names none. */
    credentialId: string
    /** COSE. */
    publicKey: string
    /** The authenticator's signature counter; always 0 where it does not count. */
    counter: number
    /** How browsers reach the authenticator, separated by spaces. */
    transports: string
    name: string
    createdAt: number
    lastUsedAt: number | null
  }
  /** The SHA-256 of a challenge that was used, kept until the challenge expires. */
  usedPasskeyChallenge: { digest: string; expiresAt: number }
  /** Values of the installation, such as the keys it generates at its first start. */
  setting: { name: string; value: string }
}

/** How a grant was obtained. Only the account's own password shows that the owner trusts whoever entered it. */
export type SignInMethod =
  | 'password'
  | 'staff-password'
  | 'device-code'
  | 'demo-link'
  | 'identity-provider'
  | 'passkey'

export type GrantKind = 'owner' | 'manager' | 'crew' | 'device'

export type RequestEventKind =
  | 'created'
  | 'asked'
  /** A device took back an ask, and the request stays open for others. */
  | 'taken_back'
  | 'seen'
  | 'accepted'
  | 'released'
  /** A colleague is on the way from now on; the event is attributed to them. */
  | 'handed_over'
  | 'completed'
  | 'cancelled'
  | 'reopened'
  | 'still_waiting'
  | 'escalated'
