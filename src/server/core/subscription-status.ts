import type { Notice, SubscriptionAction } from '#contract/billing.ts'

const active = new Set(['active', 'trialing'])
/** A new subscription takes the place of one like this; it is ended first. */
const replaceable = new Set(['incomplete', 'unpaid', 'paused'])

export const endedStatuses = ['canceled', 'incomplete_expired'] as const
const ended = new Set<string>(endedStatuses)

/** What people read as Active. A status that we do not know is none. */
export const isActiveStatus = (status: string): boolean => active.has(status)

export const isReplaceable = (status: string): boolean => replaceable.has(status)

/** Beside a subscription like this another one would be charged twice. */
export const isLive = (status: string): boolean => !ended.has(status) && !isReplaceable(status)

type Known = { status: string; createdAt: number }

/** Of all that a customer ever had, the one that counts: a live one, else one that may still be paid, else the newest. */
export function currentOf<T extends Known>(subscriptions: readonly T[]): T | undefined {
  const rank = ({ status }: Known) => (isLive(status) ? 2 : isReplaceable(status) ? 1 : 0)
  return subscriptions.toSorted((a, b) => rank(b) - rank(a) || b.createdAt - a.createdAt)[0]
}

export function noticeOf(status: string | null): Notice | null {
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

export function actionsOf(status: string | null, cancelled: boolean): SubscriptionAction[] {
  if (status === null || ended.has(status)) return ['subscribe']
  if (isActiveStatus(status)) return cancelled ? ['resume', 'portal'] : ['cancel', 'change-plan', 'portal']
  if (status === 'past_due') return cancelled ? ['portal'] : ['cancel', 'portal']
  return isReplaceable(status) ? ['subscribe', 'portal'] : ['portal']
}
