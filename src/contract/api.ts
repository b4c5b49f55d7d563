import * as v from 'valibot'
import * as accounts from './accounts.ts'
import { AlertSettings } from './alerts.ts'
import { AuditPage } from './audit.ts'
import * as analytics from './analytics.ts'
import * as billing from './billing.ts'
import { ConfirmableIdentity, IdentityConfirmation } from './confirmation.ts'
import { CrewChange, CrewDetails, CrewMember, NewCrewMember } from './crew.ts'
import * as devices from './devices.ts'
import {
  BulkAssignments,
  DatedAssignment,
  HostStandAssignments,
  NewTable,
  Table,
  TableAssignment,
  TableSetup,
} from './floor.ts'
import * as passkeys from './passkeys.ts'
import * as secondFactors from './second-factors.ts'
import { CalendarDate, Id, textField } from './primitives.ts'
import { NewPushSubscription, PushKey, PushSubscriptionRef } from './push.ts'
import { NewQrCode, QrCode, QrSheet } from './qr.ts'
import * as recovery from './recovery.ts'
import { NewServiceRequest, ServiceRequest, TableRef, TableRequests } from './requests.ts'

export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: `/api/${string}`
  params?: v.GenericSchema
  query?: v.GenericSchema
  body?: v.GenericSchema
  reply?: v.GenericSchema
  /** Of a success: 200 with a reply and 204 without, unless it says otherwise. */
  status?: 201
}

type ParsedPart<
  R extends Route,
  K extends 'params' | 'query' | 'body' | 'reply',
> = R[K] extends v.GenericSchema ? v.InferOutput<R[K]> : undefined
type InputPart<R extends Route, K extends 'params' | 'query' | 'body'> = R[K] extends v.GenericSchema
  ? object extends v.InferInput<R[K]>
    ? { [P in K]?: v.InferInput<R[K]> }
    : { [P in K]: v.InferInput<R[K]> }
  : unknown

/** What the server's operation gets. */
export type Input<R extends Route> = {
  params: ParsedPart<R, 'params'>
  query: ParsedPart<R, 'query'>
  body: ParsedPart<R, 'body'>
}
/** What a client writes. */
export type CallInput<R extends Route> = InputPart<R, 'params'> & InputPart<R, 'query'> & InputPart<R, 'body'>
export type Reply<R extends Route> = R['reply'] extends v.GenericSchema ? v.InferOutput<R['reply']> : void

/** An answer too large to be checked by every page that carries this table: what the server says is believed. */
const unchecked = <T>(): v.GenericSchema<T> => v.custom<T>(() => true)

const idParams = v.object({ id: Id })
const restaurantQuery = v.object({ restaurantId: textField('Restaurant not found', 200) })
const requestReply = v.object({ request: ServiceRequest })

export const api = {
  accounts: {
    currentUser: { method: 'GET', path: '/api/auth/user', reply: accounts.CurrentUser },
    session: { method: 'GET', path: '/api/session', reply: accounts.StaffSession },
    setupRestaurant: {
      method: 'POST',
      path: '/api/auth/setup-restaurant',
      body: accounts.RestaurantSetup,
      reply: accounts.CurrentUser,
    },
    signUp: {
      method: 'POST',
      path: '/api/restaurant-signup',
      body: accounts.RestaurantSignup,
      reply: accounts.SignedInRestaurant,
      status: 201,
    },
    restaurantLogin: {
      method: 'POST',
      path: '/api/restaurant-login',
      body: accounts.RestaurantLogin,
      reply: accounts.SignedInRestaurant,
    },
    setPassword: { method: 'POST', path: '/api/restaurant-password', body: accounts.RestaurantPassword },
    identity: { method: 'GET', path: '/api/confirm-identity', reply: ConfirmableIdentity },
    /** A recent sign-in again, without signing in anew. */
    confirmIdentity: { method: 'POST', path: '/api/confirm-identity', body: IdentityConfirmation },
    /** For a passkey of whoever is signed in. */
    confirmationChallenge: {
      method: 'POST',
      path: '/api/confirm-identity/challenge',
      reply: passkeys.PasskeyChallenge,
    },
    ownerLogin: {
      method: 'POST',
      path: '/api/demo-login',
      body: accounts.SecondFactorLogin,
      reply: accounts.SignedInRestaurant,
    },
    crewLogin: {
      method: 'POST',
      path: '/api/waiter-login',
      body: accounts.UsernameLogin,
      reply: accounts.SignedInCrew,
    },
  },
  secondFactors: {
    authenticator: { method: 'GET', path: '/api/authenticator', reply: secondFactors.Authenticator },
    beginAuthenticator: { method: 'POST', path: '/api/authenticator', reply: secondFactors.NewAuthenticator },
    turnAuthenticatorOn: {
      method: 'POST',
      path: '/api/authenticator/confirm',
      body: secondFactors.SecondFactorProof,
    },
    turnAuthenticatorOff: {
      method: 'POST',
      path: '/api/authenticator/remove',
      body: secondFactors.SecondFactorProof,
    },
  },
  passkeys: {
    list: { method: 'GET', path: '/api/passkeys', reply: passkeys.OwnPasskeys },
    setUp: { method: 'POST', path: '/api/passkeys/setup', reply: passkeys.PasskeySetup },
    add: {
      method: 'POST',
      path: '/api/passkeys',
      body: passkeys.NewPasskey,
      reply: passkeys.Passkey,
      status: 201,
    },
    remove: { method: 'DELETE', path: '/api/passkeys/:id', params: idParams },
    /** For whoever is to sign in. */
    challenge: { method: 'POST', path: '/api/passkey-challenge', reply: passkeys.PasskeyChallenge },
    login: {
      method: 'POST',
      path: '/api/passkey-login',
      body: passkeys.PasskeyLogin,
      reply: passkeys.PasskeySignedIn,
    },
  },
  managers: {
    check: {
      method: 'GET',
      path: '/api/check-manager-credentials/:restaurantName',
      params: v.object({ restaurantName: textField('Restaurant not found', 200) }),
      reply: accounts.HasCredentials,
    },
    setup: {
      method: 'POST',
      path: '/api/setup-manager-credentials',
      body: accounts.ManagerSetup,
      reply: accounts.SignedInRestaurant,
      status: 201,
    },
    login: {
      method: 'POST',
      path: '/api/management-login',
      body: accounts.ManagementLogin,
      reply: accounts.SignedInRestaurant,
    },
    currentUser: { method: 'GET', path: '/api/admin/current-user', reply: accounts.AdminUser },
    setCredentials: {
      method: 'POST',
      path: '/api/admin/manager-credentials',
      body: accounts.ManagerCredentials,
    },
    remove: { method: 'DELETE', path: '/api/admin/managers/:id', params: idParams },
    signOut: { method: 'DELETE', path: '/api/admin/managers/:id/sessions', params: idParams },
  },
  recovery: {
    codes: { method: 'GET', path: '/api/recovery-codes', reply: recovery.RecoveryCodes },
    /** The codes there were are void from then on. */
    renewCodes: {
      method: 'POST',
      path: '/api/recovery-codes',
      reply: recovery.NewRecoveryCodes,
      status: 201,
    },
    byCode: { method: 'POST', path: '/api/forgot-password', body: recovery.CodeRecovery },
    byLink: { method: 'POST', path: '/api/reset-password', body: recovery.LinkRecovery },
    notices: { method: 'GET', path: '/api/owner-notices', reply: v.array(recovery.OwnerNotice) },
    dismissNotice: { method: 'DELETE', path: '/api/owner-notices/:id', params: idParams },
  },
  devices: {
    /** With the six digits and the restaurant's name. */
    login: {
      method: 'POST',
      path: '/api/device-login',
      body: devices.DeviceLogin,
      reply: accounts.SignedInRestaurant,
    },
    /** Which restaurant a link signs in to. */
    link: {
      method: 'POST',
      path: '/api/device-link',
      body: devices.DeviceLink,
      reply: accounts.SignedInRestaurant,
    },
    linkLogin: {
      method: 'POST',
      path: '/api/device-link-login',
      body: devices.DeviceLinkLogin,
      reply: accounts.SignedInRestaurant,
    },
    createCode: {
      method: 'POST',
      path: '/api/device-codes',
      reply: devices.NewDeviceCode,
      status: 201,
    },
    code: {
      method: 'GET',
      path: '/api/device-codes/:id',
      params: idParams,
      reply: devices.DeviceCodeState,
    },
    cancelCode: { method: 'DELETE', path: '/api/device-codes/:id', params: idParams },
    list: { method: 'GET', path: '/api/devices', reply: v.array(devices.SignedInDevice) },
    rename: { method: 'PATCH', path: '/api/devices/:id', params: idParams, body: devices.DeviceChange },
    signOut: { method: 'DELETE', path: '/api/devices/:id', params: idParams },
  },
  sessions: {
    list: { method: 'GET', path: '/api/sessions', reply: v.array(devices.OwnSession) },
    signOut: { method: 'DELETE', path: '/api/sessions/:id', params: idParams },
    signOutOthers: { method: 'DELETE', path: '/api/sessions' },
  },
  staffPassword: {
    state: { method: 'GET', path: '/api/staff-password', reply: devices.StaffPasswordState },
    set: { method: 'POST', path: '/api/staff-password', body: devices.StaffPassword },
    remove: { method: 'DELETE', path: '/api/staff-password' },
  },
  crew: {
    byRestaurant: {
      method: 'GET',
      path: '/api/crew-by-restaurant',
      query: restaurantQuery,
      reply: v.array(CrewMember),
    },
    list: { method: 'GET', path: '/api/crew', reply: v.array(CrewMember) },
    details: { method: 'GET', path: '/api/crew/:id', params: idParams, reply: CrewDetails },
    add: { method: 'POST', path: '/api/crew', body: NewCrewMember, reply: CrewMember, status: 201 },
    change: { method: 'PATCH', path: '/api/crew/:id', params: idParams, body: CrewChange, reply: CrewMember },
    remove: { method: 'DELETE', path: '/api/crew/:id', params: idParams },
  },
  floor: {
    tablesByRestaurant: {
      method: 'GET',
      path: '/api/tables-by-restaurant',
      query: restaurantQuery,
      reply: v.array(Table),
    },
    crewAssignments: {
      method: 'GET',
      path: '/api/crew-assignments',
      query: v.object({ ...restaurantQuery.entries, crewMemberId: Id, date: CalendarDate }),
      reply: v.array(DatedAssignment),
    },
    tables: { method: 'GET', path: '/api/tables', reply: v.array(Table) },
    hostStand: { method: 'GET', path: '/api/host-stand', reply: Table },
    assignmentsByDate: {
      method: 'GET',
      path: '/api/table-assignments-by-date',
      query: v.object({ date: CalendarDate }),
      reply: v.array(TableAssignment),
    },
    assign: {
      method: 'POST',
      path: '/api/table-assignments/bulk',
      body: BulkAssignments,
      reply: v.array(TableAssignment),
    },
    /** Replies with the day as it was `before`, too, so that the copy can be undone. */
    copyFromPrevious: {
      method: 'POST',
      path: '/api/table-assignments/copy-from-previous',
      body: v.object({ date: CalendarDate }),
      reply: v.object({ before: v.array(TableAssignment), assignments: v.array(TableAssignment) }),
    },
    copyToWeek: {
      method: 'POST',
      path: '/api/table-assignments/copy-to-week',
      body: v.object({ sourceDate: CalendarDate }),
    },
    assignHostStand: {
      method: 'POST',
      path: '/api/host-stand-assignments',
      body: HostStandAssignments,
      reply: v.array(TableAssignment),
    },
    setUp: {
      method: 'POST',
      path: '/api/tables/setup',
      body: TableSetup,
      reply: v.array(Table),
      status: 201,
    },
    addTable: { method: 'POST', path: '/api/tables', body: NewTable, reply: Table, status: 201 },
    removeTable: {
      method: 'DELETE',
      path: '/api/tables/:id',
      params: idParams,
      query: v.object({ confirm: v.optional(v.picklist(['true', 'false'])) }),
    },
  },
  qr: {
    mine: { method: 'GET', path: '/api/qr-codes/me', reply: QrCode },
    generate: { method: 'POST', path: '/api/qr-codes', body: NewQrCode, reply: QrCode, status: 201 },
    remove: { method: 'DELETE', path: '/api/qr-codes/me' },
    sheet: { method: 'GET', path: '/api/qr-codes/sheet', reply: QrSheet },
  },
  billing: {
    create: {
      method: 'POST',
      path: '/api/create-subscription',
      body: billing.PlanChoice,
      reply: billing.SubscriptionSetup,
    },
    confirm: {
      method: 'POST',
      path: '/api/confirm-subscription',
      body: billing.SubscriptionConfirmation,
      reply: billing.ConfirmedSubscription,
    },
    /** `fresh` asks the provider, whose news may still be on their way. */
    subscription: {
      method: 'GET',
      path: '/api/subscription',
      query: v.object({ fresh: v.optional(v.picklist(['true', 'false'])) }),
      reply: billing.Subscription,
    },
    cancel: { method: 'POST', path: '/api/subscription/cancel', reply: billing.Subscription },
    resume: { method: 'POST', path: '/api/subscription/resume', reply: billing.Subscription },
    changePlan: {
      method: 'POST',
      path: '/api/subscription/change-plan',
      body: billing.PlanChoice,
      reply: billing.Subscription,
    },
    portal: { method: 'POST', path: '/api/subscription/portal', reply: billing.PortalLink },
    config: { method: 'GET', path: '/api/payment-config', reply: billing.PaymentConfig },
    /** What Stripe.js does with a card, for the sandbox. */
    confirmSandboxSetup: {
      method: 'POST',
      path: '/api/sandbox/setup-intents/:id/confirm',
      params: v.object({ id: billing.SetupIntentId }),
      body: billing.SandboxConfirmation,
      reply: billing.SandboxSetup,
    },
    /** Moves the sandbox's clock of this restaurant to just after the next renewal. */
    advanceSandbox: { method: 'POST', path: '/api/sandbox/advance', reply: billing.Subscription },
  },
  restaurant: {
    settings: { method: 'GET', path: '/api/restaurant', reply: analytics.RestaurantSettings },
    change: {
      method: 'PATCH',
      path: '/api/restaurant',
      body: analytics.RestaurantChange,
      reply: analytics.RestaurantSettings,
    },
  },
  analytics: {
    figures: {
      method: 'GET',
      path: '/api/analytics',
      query: analytics.DayRange,
      reply: unchecked<analytics.Figures>(),
    },
    overview: { method: 'GET', path: '/api/analytics/overview', reply: unchecked<analytics.Overview>() },
    /** A file to download, by a plain link. */
    events: {
      method: 'GET',
      path: '/api/analytics/events.csv',
      query: analytics.DayRange,
      reply: v.string(),
    },
  },
  audit: {
    /** Entries older than `before`, an entry's id, or the newest. */
    list: {
      method: 'GET',
      path: '/api/audit-log',
      query: v.object({ before: v.optional(Id) }),
      reply: AuditPage,
    },
    /** A file to download, by a plain link. */
    download: { method: 'GET', path: '/api/audit-log.csv', reply: v.string() },
  },
  alerts: {
    settings: { method: 'GET', path: '/api/alert-settings', reply: AlertSettings },
    setSettings: {
      method: 'POST',
      path: '/api/alert-settings',
      body: AlertSettings,
      reply: AlertSettings,
    },
  },
  push: {
    key: { method: 'GET', path: '/api/push-key', reply: PushKey },
    subscribe: {
      method: 'POST',
      path: '/api/push-subscriptions',
      body: NewPushSubscription,
      reply: PushSubscriptionRef,
      status: 201,
    },
    unsubscribe: { method: 'DELETE', path: '/api/push-subscriptions/:id', params: idParams },
  },
  requests: {
    /** 201 when it is new, 200 when it merged into an open request or repeats one. */
    send: { method: 'POST', path: '/api/service-requests', body: NewServiceRequest, reply: requestReply },
    mine: { method: 'GET', path: '/api/service-requests/mine', query: TableRef, reply: TableRequests },
    cancel: {
      method: 'POST',
      path: '/api/service-requests/:id/cancel',
      params: idParams,
      /** With the request where others at the table asked for it, too: it stays. */
      reply: v.object({ id: Id, request: v.optional(ServiceRequest) }),
    },
    stillWaiting: {
      method: 'POST',
      path: '/api/service-requests/:id/still-waiting',
      params: idParams,
      /** `told`: the crew was told by this call. */
      reply: v.object({ ...requestReply.entries, told: v.boolean() }),
    },
  },
} satisfies Record<string, Record<string, Route>>
