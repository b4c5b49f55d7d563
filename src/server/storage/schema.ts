import type { AlarmSet } from '#contract/accounts/restaurants.ts'
import type { AuditAction } from '#contract/audit.ts'
import type { CrewRole } from '#contract/crew/crew.ts'
import type { QuickMessageKey } from '#contract/crew/messages.ts'
import type { OutsideChannelKind } from '#contract/outside/outside-alerts.ts'
import type { WebhookType } from '#contract/outside/webhooks.ts'
import type { PushAudience } from '#contract/push.ts'
import type { NeedKey } from './requests/asked-need.ts'

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
    alarmSet: AlarmSet
    /** JSON of the contract's Opening; null while guests may always ask for everything. */
    opening: string | null
    /** 1: guests read how long their requests usually take. */
    expectedTimes: number
    /** JSON of the contract's needs; null while guests see the six as usual. */
    needs: string | null
    /** 1: guests can write to the manager. */
    managerNotes: number
    /** JSON of the contract's GuestCard; null while there is none. */
    guestCard: string | null
    /** 1: the crew opens and closes tables. */
    seating: number
    createdAt: number
  }
  /** The owner has done the first steps, or wants to see them no longer. */
  firstStepsFinished: { restaurantId: string; at: number }
  /** Restaurants that are erased at a time that is known already: `trial` is a visitor's demo. */
  restaurantEnding: { restaurantId: string; kind: 'trial' | 'deleted'; eraseAt: number }
  /** For how many days a restaurant keeps what; null, and no row: for as long as it exists. */
  retention: {
    restaurantId: string
    requestDays: number | null
    messageDays: number | null
    logDays: number | null
    /** Everything from before was removed; null: nothing was. */
    requestsRemovedBefore: number | null
    messagesRemovedBefore: number | null
    logRemovedBefore: number | null
    /** JSON of the contract's Retention before it was last shortened, until that had an effect. */
    undo: string | null
    /** When what is too old is removed next; null while nothing is to be removed. */
    runAt: number | null
    /** Until then one node alone removes. */
    leasedUntil: number | null
  }
  /** Every name a restaurant has had, the current one included, so that printed codes survive a rename. */
  restaurantName: { nameKey: string; restaurantId: string }
  owner: {
    id: string
    /**
     * Their home, to which their passkeys and codes belong: it changes only when it is erased. Null between a first
     * sign-in through OpenID Connect and onboarding.
     */
    restaurantId: string | null
    email: string
    emailKey: string
    passwordHash: string | null
    oidcIssuer: string | null
    oidcSubject: string | null
    createdAt: number
  }
  /** A restaurant that is an owner's besides their home. */
  membership: { ownerId: string; restaurantId: string; addedAt: number }
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
    /** The section that they have as their own. */
    sectionId: string | null
  }
  section: {
    restaurantId: string
    id: string
    name: string
    nameKey: string
    position: number
    createdAt: number
  }
  floorTable: {
    restaurantId: string
    id: string
    tableNumber: string
    numberKey: string
    category: 'table' | 'host stand'
    createdAt: number
    sectionId: string | null
    /** Its cell on the map; null until somebody has moved a table there. */
    mapX: number | null
    mapY: number | null
  }
  /** What the owner deleted and can still restore. The rows themselves are gone: no query has to leave them out. */
  deletedItem: {
    restaurantId: string
    kind: 'table' | 'section' | 'crew' | 'manager'
    id: string
    /** A table's number, a crew member's name, a manager's username. */
    name: string
    /** JSON: what a restoration puts back. */
    content: string
    deletedAt: number
  }
  /** An assignment that went with its table or its crew member. */
  deletedAssignment: {
    restaurantId: string
    tableId: string
    crewMemberId: string
    date: string
    slot: string
    /** The local day of the deletion. */
    deletedOn: string
    deletedAt: number
  }
  /** `code`: as in the link, without the hyphen. */
  shortLink: {
    restaurantId: string
    tableId: string
    code: string
    createdAt: number
  }
  /** What a network button at the table asks for. */
  tableButton: {
    restaurantId: string
    id: string
    tableId: string
    serviceType: NeedKey
    /** SHA-256 of the token; the token itself is not stored. */
    tokenHash: string
    createdAt: number
    pressedAt: number | null
  }
  /** Lets other software act for the restaurant. */
  apiToken: {
    restaurantId: string
    id: string
    name: string
    /** SHA-256 of the token; the token itself is not stored. */
    tokenHash: string
    /** The contract's scopes, separated by spaces. */
    scopes: string
    createdAt: number
    expiresAt: number | null
    lastUsedAt: number | null
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
  /** A guest's private word to the manager. Its text is shown to the device that wrote it, to managers and to the owner. */
  managerNote: {
    restaurantId: string
    /** Chosen by the guest's device. */
    id: string
    tableKey: string
    tableNumber: string
    /** Null where cookies are blocked: nobody reads the answer then. */
    guestId: string | null
    text: string
    verified: number
    createdAt: number
    /** Since when it belongs to this table, if its guest took it along. */
    placedAt: number | null
    seenAt: number | null
    takenAt: number | null
    /** As the manager wants to be called, if they said. */
    takenBy: string | null
    closedAt: number | null
    answer: string | null
    /** When any node may begin its push; null once one has, and where nobody had alerts on. */
    pushDueAt: number | null
  }
  /** Where the crew opens and closes tables; one without a row was never open. */
  tableSeating: {
    restaurantId: string
    tableKey: string
    /** Null while it is closed. */
    seatedAt: number | null
    /** When it was last closed: visits from before are over. */
    closedAt: number | null
    /** Both as they were before it was closed, for undoing that. */
    beforeSeatedAt: number | null
    beforeClosedAt: number | null
    /** When somebody last scanned its code while it was closed. */
    wantedAt: number | null
  }
  /** A restaurant with a weekly pattern. `filledTo`: the last day that it has filled. */
  weeklyPattern: { restaurantId: string; filledTo: string }
  /** Like `tableAssignment`, for every day of a weekday. */
  patternAssignment: {
    restaurantId: string
    /** Monday is 0. */
    weekday: number
    tableId: string
    slot: string
    crewMemberId: string
  }
  /** A day of a weekday that has a pattern: filled from it, or set by hand and left alone. */
  plannedDay: { restaurantId: string; date: string; origin: 'pattern' | 'hand' }
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
    /** Where it was asked, whatever happens later. */
    tableNumber: string
    /** Where it is wanted, like `tableId`. */
    tableKey: string
    /** The number of the table that it is wanted at, if its party moved there; else null. */
    movedTo: string | null
    serviceType: NeedKey
    /** JSON of a StoredNeed, where the restaurant has a name of its own for it. */
    need: string | null
    /** JSON of the contract's NeedChoice: the latest. */
    choice: string | null
    /** What the guest wrote last, and when. */
    note: string | null
    noteAt: number | null
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
    /** 1: first asked by a table button. */
    byButton: number
    acceptedAt: number | null
    acceptedBy: string | null
    acceptedByName: string | null
    /** The first acceptance that was not given back, even if it has expired since. */
    answeredAt: number | null
    answeredBy: string | null
    /** When it was completed or cancelled; null while the request is open. */
    closedAt: number | null
    closedAs: 'completed' | 'cancelled' | 'merged' | null
    /** The request that it was merged into, when its party joined another that waited for the same. */
    mergedInto: string | null
    closedBy: string | null
    closedByName: string | null
    /** Ids of the crew members it alerts first, separated by spaces; empty for all crew. */
    crew: string
    /**
     * Ids of those it calls while it calls only some of the crew, separated by spaces, or of whoever is on the way. Else
     * empty: it alerts those that `crew` and `level` say.
     */
    called: string
    /** When it alerts more people; null when it already alerts everybody, or somebody is on the way. */
    nextLevelAt: number | null
    /** When the acceptance expires. */
    acceptUntil: number | null
    /**
     * The level at which devices show it; -1 when none does. `reminderDue`, `moveDue` and `acceptanceShown` while somebody
     * is on the way and is to be told, or has been told.
     */
    pushedLevel: number
    /** How often guests said that they still wait, and when last. */
    stillWaiting: number
    stillWaitingAt: number | null
    /** Within which time the guest was told to expect it, in milliseconds after `createdAt`; null if told nothing. */
    expectedFromMs: number | null
    expectedUntilMs: number | null
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
  /** JSON of the contract's EscalationSettings. */
  alertSetting: { restaurantId: string; settings: string }
  /**
   * What happened to a request; append-only. The id keeps an event from being stored twice: the guest's own id for a tap,
   * `seen:{request}:{session}` when a screen shows it, `back:{tap}` for a tap taken back, `moved:{move}:{tap}` for one that
   * came from a request merged into this one, `moved::{tap}` for one that was taken out of another, else a new id.
   */
  requestEvent: {
    restaurantId: string
    id: string
    requestId: string
    at: number
    kind: RequestEventKind
    actorKind: 'guest' | 'crew' | 'manager' | 'owner' | 'device' | 'token' | 'system'
    /** The crew member, manager, owner or token; for a guest the device's random id. */
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
    language: string | null
    createdAt: number
    deletedAt: number | null
    /** When any node may begin its push; null once one has, and where nobody had alerts on. */
    pushDueAt: number | null
  }
  /** A guest's device at a table. A visit ends 3 hours after it started. */
  guestVisit: { restaurantId: string; guestId: string; tableKey: string; startedAt: number }
  /** A party that moved, or joined another. Visits that began at the table before `at` have followed it. */
  partyMove: {
    restaurantId: string
    /** Made by the screen. */
    id: string
    fromKey: string
    fromNumber: string
    toKey: string
    toNumber: string
    at: number
    undoneAt: number | null
    /** JSON: what an undo needs to know about the requests, see `MovedRequest`. */
    requests: string
  }
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
    /** Who had the device when it was looked up; `audience` is null if the version before stored it. */
    audience: PushAudience | null
    crewMemberId: string | null
  }
  /** How long after the manager somebody outside is alerted. No row: nobody is. */
  outsideAlertSetting: { restaurantId: string; afterMs: number }
  /** Where alerts go that nobody in the restaurant answers, and when it is called next. */
  outsideChannel: {
    restaurantId: string
    id: string
    kind: OutsideChannelKind
    address: string
    /** The key that signs webhooks, or the token for the ntfy server. */
    secret: string | null
    createdAt: number
    /** Null until the owner of the e-mail address has confirmed it. */
    confirmedAt: number | null
    /** HMAC of the six digits that confirm it. */
    codeProof: string | null
    codeExpiresAt: number | null
    codeTries: number
    /** When its first open alert is due or tried again; null while there is none. */
    nextAt: number | null
    /** Until then one node alone sends to it. */
    leasedUntil: number | null
    /** 1 from a failure until the next success. Such receivers wait in a line of their own. */
    failing: number
    /** Since the last success. */
    failures: number
    lastAt: number | null
    lastProblem: string | null
    /** 1: it is told of requests that nobody answers. */
    getsAlerts: number
    /** When its next weekly report is due or tried again; null while it gets none. */
    reportAt: number | null
    /** The Monday with which the last week that it got a report of began. */
    reportedWeek: string | null
    /** What a webhook is told of as it happens, separated by spaces; null for nothing. */
    topics: string | null
    /** Everything that happened before was found. */
    lookedUntil: number | null
  }
  /** One per channel and request: nobody is alerted to a request twice. */
  outsideAlert: {
    restaurantId: string
    channelId: string
    requestId: string
    /** The same in every attempt, so that receivers recognize a repeat. */
    id: string
    dueAt: number
    /** When it was sent, or no longer had to be. */
    doneAt: number | null
  }
  /** What a webhook is told, and its log. */
  outsideEvent: {
    restaurantId: string
    channelId: string
    /** What it is about, so that it is told once. */
    source: string
    /** The same in every attempt, so that receivers recognize a repeat. */
    id: string
    type: WebhookType
    at: number
    /** JSON. */
    data: string
    dueAt: number
    /** When it arrived, or was tried for the last time. */
    doneAt: number | null
    attempts: number
    lastAt: number | null
    lastProblem: string | null
  }
  /** What a webhook is not told of, because it happened before; by the same source. */
  outsidePastEvent: { restaurantId: string; channelId: string; source: string; at: number }
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
  passwordReset: {
    restaurantId: string
    ownerId: string
    tokenHash: string
    expiresAt: number
    /** Who gave it to the owner: the operator, or a mail to the owner's address. */
    via: 'operator' | 'mail'
  }
  /** The e-mail address that an owner has to confirm before it replaces the present one. */
  ownerEmailChange: {
    ownerId: string
    email: string
    /** HMAC of the six digits. */
    codeProof: string
    codeExpiresAt: number
    codeTries: number
  }
  /** A notice that the owner sees until they dismiss it. `about` names a manager, or what else the operator's link ended. */
  ownerNotice: {
    restaurantId: string
    id: string
    at: number
    kind:
      | 'manager-set-up-by-device'
      | 'password-reset-by-code'
      | 'password-reset-by-link'
      | 'password-reset-by-email'
      | 'email-changed'
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
  /** A limit that all servers of an installation count together. What it counts is in the digest. */
  limitCount: { limitName: string; keyDigest: string; count: number; endsAt: number }
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
  /** Its party moved to another table, or back. */
  | 'moved'
  /** Its party joined another that waits for the same: the other request goes on. */
  | 'merged'
