import type { SubscriptionNotice, SubscriptionAction } from '#contract/billing.ts'

const activeStatuses = new Set(['active', 'trialing'])
/** A subscription in one of these is ended and replaced when the owner subscribes again. */
const replaceableStatuses = new Set(['incomplete', 'unpaid', 'paused'])

export const endedStatuses = ['canceled', 'incomplete_expired'] as const
const endedStatusSet = new Set<string>(endedStatuses)

export const isEnded = (status: string): boolean => endedStatusSet.has(status)

/** What the product shows as Active. A status that we do not know is not active. */
export const isActiveStatus = (status: string): boolean => activeStatuses.has(status)

export const isReplaceable = (status: string): boolean => replaceableStatuses.has(status)

/** Subscribing again beside a live subscription would charge the restaurant twice. */
export const isLive = (status: string): boolean => !isEnded(status) && !isReplaceable(status)

type SubscriptionSummary = { status: string; createdAt: number }

/** Selects which of a customer's subscriptions counts: a live one, else one that may still be paid, else the newest. */
export function selectCurrent<T extends SubscriptionSummary>(subscriptions: readonly T[]): T | undefined {
  const rank = ({ status }: SubscriptionSummary) => (isLive(status) ? 2 : isReplaceable(status) ? 1 : 0)
  return subscriptions.toSorted((a, b) => rank(b) - rank(a) || b.createdAt - a.createdAt)[0]
}

export function statusNotice(status: string | null): SubscriptionNotice | null {
  switch (status) {
    case 'incomplete':
    case 'past_due':
    case 'unpaid':
    case 'paused':
      return status
    case 'canceled':
    case 'incomplete_expired':
      return 'ended'
    default:
      return null
  }
}

export function allowedActions(status: string | null, cancelled: boolean): SubscriptionAction[] {
  if (status === null || isEnded(status)) return ['subscribe']
  if (isActiveStatus(status)) return cancelled ? ['resume', 'portal'] : ['cancel', 'change-plan', 'portal']
  if (status === 'past_due') return cancelled ? ['portal'] : ['cancel', 'portal']
  return isReplaceable(status) ? ['subscribe', 'portal'] : ['portal']
}
