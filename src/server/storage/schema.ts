import type { AuditAction } from '#contract/audit.ts'
import type { CrewRole } from '#contract/crew.ts'
import type { QuickMessageKey } from '#contract/messages.ts'
import type { PushAudience } from '#contract/push.ts'
import type { ServiceType } from '#contract/requests.ts'

/**
 * The tables as both engines hold them. Times are epoch milliseconds, local days yyyy-MM-dd text, ids text.
 * `…Key` columns decide when two names are the same (`nameKey` of the contract).
 */
export type Schema = {
  restaurant: {
    id: string
    name: string
    /** IANA name; "today" on the server is the day there. */
    timeZone: string
    /** Of the printed codes: raising it makes every older code unverified. */
    codeGeneration: number
    /** Signs the printed codes; base64url. */
    codeKey: string
    /** When the first manager's credentials were set; claiming it is what makes the first set-up happen once. */
    managedSince: number | null
    /** Opens Restaurant Login beside the account's password, and nothing else. */
    staffPasswordHash: string | null
    staffPasswordSetAt: number | null
    /** 1: a request without a valid code is refused. */
    verifiedOnly: number
    /** 1: only crew members with a PIN can be chosen at a screen. */
    pinRequired: number
    createdAt: number
  }
  /** Every name a restaurant ever had, the present one too: printed codes survive a rename. */
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
    /** The one set last is the current one. */
    setAt: number
  }
  session: {
    id: string
    /** SHA-256 of the cookie; the cookie itself is kept nowhere. */
    tokenHash: string
    restaurantId: string | null
    createdAt: number
    /** In plain words, from the last sign-in; null where it was signed in before this was kept. */
    browser: string | null
    /** What people call this device. */
    name: string | null
  }
  sessionGrant: {
    sessionId: string
    kind: GrantKind
    subjectId: string
    /** Where it holds. In a session of another restaurant it is worth nothing. */
    restaurantId: string | null
    authAt: number
    idleUntil: number
    absoluteUntil: number
    via: SignInMethod
  }
  /** This browser gave this crew member's PIN. */
  crewUnlock: { sessionId: string; crewMemberId: string; until: number }
  crewMember: {
    restaurantId: string
    id: string
    name: string
    nameKey: string
    role: CrewRole
    pinHash: string | null
    /** Unique among all restaurants: /waiter-login names no restaurant. */
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
  /** Its guests cannot ask, until then or until somebody unmutes it. */
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
    /** Empty for a table, which takes one crew member a day; the member's id for the host stand. */
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
    /** Restaurant's local day of `createdAt`. */
    localDay: string
    asks: number
    lastAskedAt: number
    seen: number
    /** When the first staff screen showed it. */
    seenAt: number | null
    level: number
    verified: number
    acceptedAt: number | null
    acceptedBy: string | null
    acceptedByName: string | null
    /** The first acceptance that nobody took back, also when it ran out since. */
    answeredAt: number | null
    answeredBy: string | null
    /** Completed or cancelled; while it is null the request is open. */
    closedAt: number | null
    closedAs: 'completed' | 'cancelled' | null
    closedBy: string | null
    closedByName: string | null
    /** Ids of the crew members whom it alerts first, by blanks; empty when it is everybody's. */
    crew: string
    /** When it alerts more people; null when it alerts all already, or somebody is on the way. */
    nextLevelAt: number | null
    /** When an acceptance that came to nothing ends. */
    acceptUntil: number | null
    /**
     * The level at which devices show it; -1 when none does, `remindDue` and `reminded` while whoever is on the way
     * is to be told, or was told, that the guest still waits.
     */
    pushedLevel: number
    /** How often the guest said so, and when last. */
    stillWaiting: number
    stillWaitingAt: number | null
  }
  /** `nextAlertAt` is null once it was claimed. */
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
   * What happened to a request; appended, never changed. The id makes it happen once: the guest's own id for a
   * tap, `seen:{request}:{screen}` for a sight, `back:{tap}` for a tap that is taken back, otherwise a new one.
   */
  requestEvent: {
    restaurantId: string
    id: string
    requestId: string
    at: number
    kind: RequestEventKind
    actorKind: 'guest' | 'crew' | 'manager' | 'owner' | 'device' | 'system'
    /** Crew member, manager or owner; for a guest the device's random id. */
    actorId: string | null
    actorName: string | null
  }
  /** How many events each stream of a restaurant has had: `staff`, or `crew:{id}`. */
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
  /** A guest's device at a table; over 3 hours after it started. */
  guestVisit: { restaurantId: string; guestId: string; tableKey: string; startedAt: number }
  qrCode: { restaurantId: string; generation: number; link: string; png: string; createdAt: number }
  /** `provider` here and below is the ledger: live and test mode of one provider know different customers. */
  paymentCustomer: { restaurantId: string; provider: string; customerId: string; deletedAt: number | null }
  /** One try to subscribe. Its id seeds the idempotency keys of everything that is made for it. */
  paymentAttempt: {
    restaurantId: string
    id: string
    plan: 'monthly' | 'yearly'
    priceId: string
    setupIntentId: string | null
    state: 'open' | 'subscribed' | 'superseded'
    createdAt: number
  }
  /** What the provider said when it was last asked. */
  subscription: {
    restaurantId: string
    provider: string
    subscriptionId: string
    setupIntentId: string | null
    status: string
    plan: 'monthly' | 'yearly'
    priceId: string
    /** From the end of the period on. */
    nextPlan: 'monthly' | 'yearly' | null
    currentPeriodEnd: number | null
    cancelAtPeriodEnd: number
    /** When the asking began; only a later asking may change the row. */
    asOf: number
  }
  /** The inbox of webhooks: a hint to ask the provider, never what is believed. */
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
    /** When it is tried again; null when it was processed or given up. */
    nextAt: number | null
    error: string | null
  }
  /** Who talks to the payment provider about a restaurant right now, and until when at most. */
  billingLock: { restaurantId: string; holder: string; until: number }
  /** What the sandbox provider knows; `value` is JSON. */
  sandboxObject: { id: string; customerId: string; kind: string; value: string; version: number }
  pushSubscription: {
    restaurantId: string
    id: string
    sessionId: string
    crewMemberId: string | null
    /** Belongs to one device; whoever has it may write to that device. */
    endpoint: string
    p256dh: string
    auth: string
    createdAt: number
    audience: PushAudience
    /** When the device was last looked at. */
    seenAt: number
  }
  /** What a device is to be sent, or shows until it is withdrawn; the latest of each tag. */
  pushDelivery: {
    restaurantId: string
    subscriptionId: string
    tag: string
    /** New for each content. */
    id: string
    /** JSON of the contract's PushPayload. */
    payload: string
    urgency: 'high' | 'normal'
    /** Sending it later makes no sense. */
    until: number
    /** 1 when it is withdrawn one day, so the row stays once it was sent. */
    stays: number
    attempts: number
    /** When it is tried, or tried again; null once it was sent. */
    nextAt: number | null
    /** The node that is at it until then, or at what it takes the place of; null while nobody is. */
    sender: string | null
  }
  /** `raisedAt` is null while somebody listens; claiming the change is what makes one alarm of it. */
  listeningAlarm: { restaurantId: string; raisedAt: number | null }
  /** When the last listening screen of a restaurant went away, and when one came back. */
  listeningChange: { restaurantId: string; id: string; at: number; listening: number }
  /** What somebody changed in the restaurant; appended, never changed. `detail` is JSON, without secrets. */
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
  /** The one code of a restaurant that signs a device in; the next one takes its place. */
  deviceCode: {
    restaurantId: string
    id: string
    /** HMAC of the six digits. */
    digitsProof: string
    /** SHA-256 of what the link carries. */
    tokenHash: string
    /** The owner's or manager's id. */
    madeBy: string
    expiresAt: number
    /** How often digits were tried, right or wrong. */
    tries: number
    usedAt: number | null
    /** What the device is called that used it. */
    usedBy: string | null
  }
  /** What is left of ten; one that was used is deleted. */
  recoveryCode: {
    restaurantId: string
    subjectKind: 'owner' | 'manager'
    subjectId: string
    /** SHA-256; the code is random and kept nowhere. */
    codeHash: string
    createdAt: number
  }
  /** The one-time link with which an owner sets a new password. */
  passwordReset: { restaurantId: string; ownerId: string; tokenHash: string; expiresAt: number }
  /** What the owner is told until it is put aside. `about` names a manager. */
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
  /** The secret of somebody's authenticator app. It is asked for from `confirmedAt` on. */
  authenticator: {
    restaurantId: string
    kind: 'owner' | 'manager'
    subjectId: string
    /** 20 random bytes, base64url. */
    secret: string
    createdAt: number
    confirmedAt: number | null
    /** The step of the last code that was accepted: none is accepted twice. */
    lastStep: number
  }
  /** What an owner or manager signs in with instead of a password. */
  passkey: {
    restaurantId: string
    id: string
    kind: 'owner' | 'manager'
    subjectId: string
    /** Unique among all restaurants: who signs in with it names none. base64url, as the public key. */
    credentialId: string
    /** In COSE's encoding. */
    publicKey: string
    /** How often the authenticator said that it was used; 0 for ever where it does not count. */
    counter: number
    /** How browsers reach it, by blanks. */
    transports: string
    name: string
    createdAt: number
    lastUsedAt: number | null
  }
  /** What an authenticator signed for us once, until it would be refused anyway. SHA-256. */
  usedPasskeyChallenge: { digest: string; expiresAt: number }
  /** What the installation made for itself at first start, such as keys. */
  setting: { name: string; value: string }
}

/** How a grant came about: only the account's own password says that the owner trusts whoever typed it. */
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
  /** A device took one of its asks back, and others stay. */
  | 'taken_back'
  | 'seen'
  | 'accepted'
  | 'released'
  /** Somebody else is on the way from then on: it is signed by them. */
  | 'handed_over'
  | 'completed'
  | 'cancelled'
  | 'reopened'
  | 'still_waiting'
  | 'escalated'
