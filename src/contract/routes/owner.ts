import * as v from 'valibot'
import { AlertSettings } from '../alerts.ts'
import { AuditPage } from '../audit.ts'
import * as billingSchemas from '../billing.ts'
import { Id } from '../primitives.ts'
import { NewQrCode, QrCode, QrSheet } from '../qr.ts'
import { RestaurantChange, RestaurantSettings } from '../restaurants.ts'
import type { Routes } from './route.ts'

export const restaurant = {
  settings: { method: 'GET', path: '/api/restaurant', reply: RestaurantSettings },
  change: {
    method: 'PATCH',
    path: '/api/restaurant',
    body: RestaurantChange,
    reply: RestaurantSettings,
  },
} satisfies Routes

export const qr = {
  mine: { method: 'GET', path: '/api/qr-codes/me', reply: QrCode },
  generate: { method: 'POST', path: '/api/qr-codes', body: NewQrCode, reply: QrCode, status: 201 },
  remove: { method: 'DELETE', path: '/api/qr-codes/me' },
  sheet: { method: 'GET', path: '/api/qr-codes/sheet', reply: QrSheet },
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
    reply: billingSchemas.Subscription,
  },
  cancel: { method: 'POST', path: '/api/subscription/cancel', reply: billingSchemas.Subscription },
  resume: { method: 'POST', path: '/api/subscription/resume', reply: billingSchemas.Subscription },
  changePlan: {
    method: 'POST',
    path: '/api/subscription/change-plan',
    body: billingSchemas.PlanChoice,
    reply: billingSchemas.Subscription,
  },
  portal: { method: 'POST', path: '/api/subscription/portal', reply: billingSchemas.PortalLink },
  config: { method: 'GET', path: '/api/payment-config', reply: billingSchemas.PaymentConfig },
  /** The sandbox's counterpart of what Stripe.js does with a card. */
  confirmSandboxSetup: {
    method: 'POST',
    path: '/api/sandbox/setup-intents/:id/confirm',
    params: v.object({ id: billingSchemas.SetupIntentId }),
    body: billingSchemas.SandboxConfirmation,
    reply: billingSchemas.SandboxSetup,
  },
  /** Moves this restaurant's sandbox clock to just after the next renewal. */
  advanceSandbox: { method: 'POST', path: '/api/sandbox/advance', reply: billingSchemas.Subscription },
} satisfies Routes

export const audit = {
  /** Entries older than `before`, or else the newest ones. */
  list: {
    method: 'GET',
    path: '/api/audit-log',
    query: v.object({ before: v.optional(Id) }),
    reply: AuditPage,
  },
  /** A file, downloaded through a plain link. */
  download: { method: 'GET', path: '/api/audit-log.csv', reply: v.string() },
} satisfies Routes

export const alerts = {
  settings: { method: 'GET', path: '/api/alert-settings', reply: AlertSettings },
  setSettings: {
    method: 'POST',
    path: '/api/alert-settings',
    body: AlertSettings,
    reply: AlertSettings,
  },
} satisfies Routes
