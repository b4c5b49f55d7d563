import * as v from 'valibot'
import {
  RestaurantChange,
  RestaurantDeletion,
  type RestaurantEnding,
  type RestaurantSettings,
} from '../accounts/restaurants.ts'
import type { AuditPage } from '../audit.ts'
import * as billingSchemas from '../billing.ts'
import { NewQrCode, type QrCode, type QrSheet } from '../floor/qr.ts'
import { type GuestCard, GuestCardChange } from '../guests/guest-card.ts'
import * as outside from '../outside/outside-alerts.ts'
import type { Delivery, DeliveryPage } from '../outside/webhooks.ts'
import { Id } from '../primitives.ts'
import { type EscalationSettings, EscalationSettingsChange } from '../requests/escalation.ts'
import { type RestaurantNeeds, RestaurantNeedsChange } from '../requests/needs.ts'
import { idParams, type Routes, unchecked } from './route.ts'

export const restaurant = {
  settings: { method: 'GET', path: '/api/restaurant', reply: unchecked<RestaurantSettings>() },
  change: {
    method: 'PATCH',
    path: '/api/restaurant',
    body: RestaurantChange,
    reply: unchecked<RestaurantSettings>(),
  },
  ending: { method: 'GET', path: '/api/restaurant/ending', reply: unchecked<RestaurantEnding>() },
  remove: {
    method: 'POST',
    path: '/api/restaurant/delete',
    body: RestaurantDeletion,
    reply: unchecked<RestaurantEnding>(),
  },
  restore: { method: 'POST', path: '/api/restaurant/restore', reply: unchecked<RestaurantEnding>() },
  /** Everything about the restaurant in one file, a ZIP whose `manifest.json` says what each file in it is. */
  download: { method: 'POST', path: '/api/restaurant/export', reply: v.string() },
} satisfies Routes

export const qr = {
  mine: { method: 'GET', path: '/api/qr-codes/me', reply: unchecked<QrCode>() },
  generate: {
    method: 'POST',
    path: '/api/qr-codes',
    body: NewQrCode,
    reply: unchecked<QrCode>(),
    status: 201,
  },
  remove: { method: 'DELETE', path: '/api/qr-codes/me' },
  sheet: { method: 'GET', path: '/api/qr-codes/sheet', reply: unchecked<QrSheet>() },
  /** By the table's id. */
  revokeShortLink: { method: 'DELETE', path: '/api/short-links/:id', params: idParams },
} satisfies Routes

export const billing = {
  create: {
    method: 'POST',
    path: '/api/create-subscription',
    body: billingSchemas.PlanChoice,
    reply: billingSchemas.SubscriptionSetup,
  },
  confirm: {
    method: 'POST',
    path: '/api/confirm-subscription',
    body: billingSchemas.SubscriptionConfirmation,
    reply: billingSchemas.ConfirmedSubscription,
  },
  /** `fresh` asks the provider, because its webhooks may still be on their way. */
  subscription: {
    method: 'GET',
    path: '/api/subscription',
    query: v.object({ fresh: v.optional(v.picklist(['true', 'false'])) }),
    reply: unchecked<billingSchemas.Subscription>(),
  },
  cancel: {
    method: 'POST',
    path: '/api/subscription/cancel',
    reply: unchecked<billingSchemas.Subscription>(),
  },
  resume: {
    method: 'POST',
    path: '/api/subscription/resume',
    reply: unchecked<billingSchemas.Subscription>(),
  },
  changePlan: {
    method: 'POST',
    path: '/api/subscription/change-plan',
    body: billingSchemas.PlanChoice,
    reply: unchecked<billingSchemas.Subscription>(),
  },
  portal: { method: 'POST', path: '/api/subscription/portal', reply: billingSchemas.PortalLink },
  config: { method: 'GET', path: '/api/payment-config', reply: unchecked<billingSchemas.PaymentConfig>() },
  /** The sandbox's counterpart of what Stripe.js does with a card. */
  confirmSandboxSetup: {
    method: 'POST',
    path: '/api/sandbox/setup-intents/:id/confirm',
    params: v.object({ id: billingSchemas.SetupIntentId }),
    body: billingSchemas.SandboxConfirmation,
    reply: unchecked<billingSchemas.SandboxSetup>(),
  },
  /** Moves this restaurant's sandbox clock to just after the next renewal. */
  advanceSandbox: {
    method: 'POST',
    path: '/api/sandbox/advance',
    reply: unchecked<billingSchemas.Subscription>(),
  },
} satisfies Routes

export const audit = {
  /** Entries older than `before`, or else the newest ones. */
  list: {
    method: 'GET',
    path: '/api/audit-log',
    query: v.object({ before: v.optional(Id) }),
    reply: unchecked<AuditPage>(),
  },
  /** A file, downloaded through a plain link. */
  download: { method: 'GET', path: '/api/audit-log.csv', reply: v.string() },
} satisfies Routes

export const escalation = {
  settings: { method: 'GET', path: '/api/alert-settings', reply: unchecked<EscalationSettings>() },
  setSettings: {
    method: 'POST',
    path: '/api/alert-settings',
    body: EscalationSettingsChange,
    reply: unchecked<EscalationSettings>(),
  },
} satisfies Routes

export const outsideAlerts = {
  settings: { method: 'GET', path: '/api/outside-alerts', reply: unchecked<outside.OutsideAlertSettings>() },
  setDelay: {
    method: 'POST',
    path: '/api/outside-alerts',
    body: outside.OutsideAlertDelayChange,
    reply: unchecked<outside.OutsideAlertSettings>(),
  },
  addChannel: {
    method: 'POST',
    path: '/api/outside-channels',
    body: outside.NewOutsideChannel,
    reply: unchecked<outside.AddedOutsideChannel>(),
    status: 201,
  },
  changeChannel: {
    method: 'PATCH',
    path: '/api/outside-channels/:id',
    params: idParams,
    body: outside.OutsideChannelChange,
    reply: unchecked<outside.OutsideChannel>(),
  },
  removeChannel: { method: 'DELETE', path: '/api/outside-channels/:id', params: idParams },
  confirmChannel: {
    method: 'POST',
    path: '/api/outside-channels/:id/confirm',
    params: idParams,
    body: outside.MailedCode,
    reply: unchecked<outside.OutsideChannel>(),
  },
  /** What a webhook was told, or is yet to be told, of the last 30 days. `before` is the id of the last one known. */
  deliveries: {
    method: 'GET',
    path: '/api/outside-channels/:id/deliveries',
    params: idParams,
    query: v.object({ before: v.optional(Id) }),
    reply: unchecked<DeliveryPage>(),
  },
  /** Under the same id, so that a receiver that has it already can tell. */
  sendAgain: {
    method: 'POST',
    path: '/api/outside-deliveries/:id/again',
    params: idParams,
    reply: unchecked<Delivery>(),
  },
  sendCode: { method: 'POST', path: '/api/outside-channels/:id/code', params: idParams },
  sendTest: {
    method: 'POST',
    path: '/api/outside-channels/:id/test',
    params: idParams,
    reply: unchecked<outside.OutsideChannel>(),
  },
  sendReport: {
    method: 'POST',
    path: '/api/outside-channels/:id/report',
    params: idParams,
    reply: unchecked<outside.OutsideChannel>(),
  },
} satisfies Routes

export const needs = {
  state: { method: 'GET', path: '/api/needs', reply: unchecked<RestaurantNeeds>() },
  set: {
    method: 'PUT',
    path: '/api/needs',
    body: RestaurantNeedsChange,
    reply: unchecked<RestaurantNeeds>(),
  },
} satisfies Routes

export const guestCard = {
  state: { method: 'GET', path: '/api/guest-card', reply: unchecked<GuestCard>() },
  set: { method: 'PUT', path: '/api/guest-card', body: GuestCardChange, reply: unchecked<GuestCard>() },
} satisfies Routes
