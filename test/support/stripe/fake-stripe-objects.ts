import type { IncomingHttpHeaders } from 'node:http'
import type { Stripe } from 'stripe'
import type { Plan, TestCard } from '#contract/billing.ts'

/** Field names and types are Stripe's own, so that the fake cannot drift from them unnoticed. */
export type Price = Pick<
  Stripe.Price,
  'id' | 'object' | 'active' | 'currency' | 'lookup_key' | 'unit_amount'
> & {
  recurring: Pick<Stripe.Price.Recurring, 'interval' | 'interval_count'>
}
export type Customer = Pick<Stripe.Customer, 'id' | 'object' | 'metadata'> & {
  name: string
  email: string | null
  deleted?: true
  default_payment_method: string | null
}
export type SetupIntent = Pick<
  Stripe.SetupIntent,
  'id' | 'object' | 'client_secret' | 'metadata' | 'status' | 'livemode'
> & {
  customer: string
  payment_method: string | null
  last_setup_error: { message: string } | null
}
export type Item = Pick<Stripe.SubscriptionItem, 'id' | 'current_period_start' | 'current_period_end'> & {
  price: Price
}
export type Subscription = Pick<
  Stripe.Subscription,
  'id' | 'object' | 'status' | 'cancel_at' | 'cancel_at_period_end' | 'created' | 'metadata' | 'livemode'
> & {
  customer: string
  items: { object: 'list'; data: Item[]; has_more: false; url: string }
  schedule: string | null
  latest_invoice: string
}
export type Schedule = Pick<Stripe.SubscriptionSchedule, 'id' | 'object' | 'current_phase'> & {
  subscription: string
  phases: { start_date: number; end_date: number; items: { price: string }[] }[]
}

export type FakeEvent = {
  id: string
  object: 'event'
  type: string
  api_version: string
  created: number
  livemode: boolean
  account?: string
  data: { object: { id: string; object: string; customer?: string | null } }
}

export type Params = Record<string, unknown>
export type Answer = { status: number; body: object }
export type ReceivedRequest = {
  method: string
  path: string
  params: Params
  key: string | undefined
  headers: IncomingHttpHeaders
}

export class StripeApiError extends Error {
  readonly answer: Answer
  constructor(status: number, error: object) {
    super(JSON.stringify(error))
    this.answer = { status, body: { error } }
  }
}
export const invalid = (message: string, code = 'parameter_invalid') =>
  new StripeApiError(400, { type: 'invalid_request_error', code, message })
export const missing = (id: string) =>
  new StripeApiError(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such object: '${id}'`,
  })
export const cardError = (message: string) =>
  new StripeApiError(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message,
  })

export const noSuchKey: Answer = {
  status: 401,
  body: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } },
}
export const declines: Partial<Record<TestCard, string>> = {
  declined: 'Your card was declined.',
  insufficient: 'Your card has insufficient funds.',
}
export const bankRefused =
  'We are unable to authenticate your payment method. Please choose a different payment method and try again.'
export const day = 86_400
export const endedStatuses = ['canceled', 'incomplete_expired']

export const priceIdOf = (plan: Plan): string => `price_fake_${plan}`

export const listOf = <T>(data: T[]) => ({
  object: 'list' as const,
  data,
  has_more: false as const,
  url: '/v1/list',
})

export function metadataOf({ metadata }: Params): Record<string, string> {
  return typeof metadata === 'object' && metadata !== null
    ? Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, String(value)]))
    : {}
}

/** `items[0][price]=x` as `{ items: [{ price: 'x' }] }`. */
export function parseForm(form: URLSearchParams): Params {
  const root: Params = {}
  for (const [name, value] of form) {
    const path = name.replaceAll(']', '').split('[')
    let node: Params = root
    path.forEach((part, index) => {
      if (index === path.length - 1) node[part] = value
      else node = (node[part] ??= {}) as Params
    })
  }
  return withLists(root) as Params
}

function withLists(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]) => [key, withLists(value)] as const)
  const isList = entries.length > 0 && entries.every(([key], index) => key === String(index))
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}
