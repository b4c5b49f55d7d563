import { type JSX, useState } from 'react'
import { api } from '#contract/api.ts'
import { planName, type Subscription } from '#contract/billing.ts'
import { call, errorMessage } from '../../../api/http.ts'
import { formatPrice, planTitles } from '../../../api/prices.ts'
import { useApiCache } from '../../../api/queries.ts'
import { useFocusOnChange } from '../../../lib/hooks/use-focus-on-change.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatDate } from '../../../lib/time/dates.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useErrorToastOrSignIn } from '../use-sign-in-redirect.ts'
import { isOutcomeUnknown } from './outcome.ts'

/** The current subscription and its actions. */
export function SubscriptionCard({ subscription }: { subscription: Subscription }): JSX.Element {
  const { provider, plan, actions, subscriptionStatus, status } = subscription
  const manage = useManageSubscription()
  const { toast } = useToast()
  const active = subscriptionStatus === 'active'
  const container = useFocusOnChange(subscription)

  async function cancel(): Promise<void> {
    const done = await manage.run(
      'cancel',
      () => call(api.billing.cancel),
      ({ cancelAtPeriodEnd }) => cancelAtPeriodEnd,
    )
    if (done)
      toast({
        title: t('Subscription cancelled'),
        action: { label: t('Undo'), onClick: () => void resume() },
      })
  }
  async function resume(): Promise<void> {
    const done = await manage.run(
      'resume',
      () => call(api.billing.resume),
      ({ cancelAtPeriodEnd }) => !cancelAtPeriodEnd,
    )
    if (done) toast({ title: t('Subscription resumed') })
  }

  async function openPortal(): Promise<void> {
    await manage.run('portal', async () => {
      const { url } = await call(api.billing.portal)
      location.assign(url)
    })
  }

  const button = (action: string, label: string, onClick: () => unknown): JSX.Element => (
    <Button
      pending={manage.running === action}
      disabled={manage.running !== null}
      onClick={() => void onClick()}
    >
      {label}
    </Button>
  )

  return (
    <div ref={container} tabIndex={-1} className="outline-none">
      <Card
        title={t(planName)}
        action={<Badge tone={active ? 'done' : 'late'}>{active ? t('Active') : statusText(status)}</Badge>}
      >
        <div>
          {plan && (
            <p className="text-lg font-semibold">
              {t(planTitles[plan])}, {formatPrice(plan)}
            </p>
          )}
          <p className="text-text-mute">{nextEventText(subscription)}</p>
        </div>
        <div className="flex flex-wrap gap-3">
          {actions.includes('resume') && button('resume', t('Resume Subscription'), resume)}
          {actions.includes('portal') && button('portal', t('Billing Portal'), openPortal)}
          {actions.includes('cancel') && button('cancel', t('Cancel Subscription'), cancel)}
        </div>
        {provider === 'sandbox' && (
          <div className="flex flex-col items-start gap-3 border-t border-rule pt-4">
            <p className="text-text-mute">
              {t(
                'In the sandbox the billing portal stands for a new card that works, and time can be moved on.',
              )}
            </p>
            {button('advance', t('Go to the next renewal'), () =>
              manage.run('advance', () => call(api.billing.advanceSandbox)),
            )}
          </div>
        )}
      </Card>
    </div>
  )
}

/**
 * Runs one action at a time, reports failures, and refetches the subscription afterwards. When the answer was lost,
 * `isDone` tells from the subscription whether it was done.
 */
export function useManageSubscription() {
  const [running, setRunning] = useState<string | null>(null)
  const { dismiss } = useToast()
  const reportError = useErrorToastOrSignIn()
  const { invalidate, refetch } = useApiCache()

  async function wasDone(isDone: (subscription: Subscription) => boolean): Promise<boolean> {
    return await refetch(api.billing.subscription, { query: { fresh: 'true' } }).then(
      (known) => known.outOfDate !== true && isDone(known),
      () => false,
    )
  }

  async function run(
    action: string,
    task: () => Promise<unknown>,
    isDone?: (subscription: Subscription) => boolean,
  ): Promise<boolean> {
    setRunning(action)
    dismiss()
    let signedOut = false
    try {
      await task()
      return true
    } catch (error) {
      if (isDone && isOutcomeUnknown(error) && (await wasDone(isDone))) return true
      const message = errorMessage(error, 'Failed to change the subscription. Please try again.')
      signedOut = reportError(error, message, 'Subscription Error')
      return false
    } finally {
      // When signed out, refetching would unmount this screen and cancel the redirect to the sign-in.
      if (!signedOut) await invalidate(api.billing.subscription, api.accounts.currentUser)
      setRunning(null)
    }
  }
  return { running, run }
}

function nextEventText({
  currentPeriodEnd,
  cancelAtPeriodEnd,
  nextPlan,
  subscriptionStatus,
}: Subscription): string | null {
  if (currentPeriodEnd === null || subscriptionStatus !== 'active') return null
  const day = formatDate(currentPeriodEnd, { dateStyle: 'long' })
  if (cancelAtPeriodEnd) return t('Ends on {day}', { day })
  return nextPlan
    ? t('Changes to the {plan} on {day}', { plan: t(planTitles[nextPlan]), day })
    : t('Renews on {day}', { day })
}

/** The provider's, where it is not in force. */
const statusTexts: Record<string, string> = {
  incomplete: 'Incomplete',
  incomplete_expired: 'Incomplete expired',
  past_due: 'Past due',
  canceled: 'Canceled',
  unpaid: 'Unpaid',
  paused: 'Paused',
  inactive: 'Inactive',
}

const statusText = (status: string | null): string => t(statusTexts[status ?? 'inactive'] ?? 'Inactive')
