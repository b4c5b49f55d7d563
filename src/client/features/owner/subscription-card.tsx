import { type JSX, useState } from 'react'
import { api } from '#contract/api.ts'
import { type Subscription, planName, formatPrice } from '#contract/billing.ts'
import { call, errorMessage } from '../../api/http.ts'
import { useApiCache } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { useToast } from '../../ui/toast.tsx'
import { planTitles } from './plan-texts.ts'
import { useFocusOnChange } from './use-focus-on-change.ts'
import { useReportError } from './use-sign-in-redirect.ts'

/** The current subscription and its actions. */
export function SubscriptionCard({ subscription }: { subscription: Subscription }): JSX.Element {
  const { provider, plan, actions, subscriptionStatus, status } = subscription
  const manage = useManageSubscription()
  const { toast } = useToast()
  const active = subscriptionStatus === 'active'
  const container = useFocusOnChange(subscription)

  async function cancel(): Promise<void> {
    const done = await manage.run('cancel', () => call(api.billing.cancel))
    if (done)
      toast({ title: 'Subscription cancelled', action: { label: 'Undo', onClick: () => void resume() } })
  }
  async function resume(): Promise<void> {
    const done = await manage.run('resume', () => call(api.billing.resume))
    if (done) toast({ title: 'Subscription resumed' })
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
        title={planName}
        action={<Badge tone={active ? 'done' : 'late'}>{active ? 'Active' : statusText(status)}</Badge>}
      >
        <div>
          {plan && (
            <p className="text-lg font-semibold">
              {planTitles[plan]}, {formatPrice(plan)}
            </p>
          )}
          <p className="text-text-mute">{nextEventText(subscription)}</p>
        </div>
        <div className="flex flex-wrap gap-3">
          {actions.includes('resume') && button('resume', 'Resume Subscription', resume)}
          {actions.includes('portal') && button('portal', 'Billing Portal', openPortal)}
          {actions.includes('cancel') && button('cancel', 'Cancel Subscription', cancel)}
        </div>
        {provider === 'sandbox' && (
          <div className="flex flex-col items-start gap-3 border-t border-rule pt-4">
            <p className="text-text-mute">
              In the sandbox the billing portal stands for a new card that works, and time can be moved on.
            </p>
            {button('advance', 'Go to the next renewal', () =>
              manage.run('advance', () => call(api.billing.advanceSandbox)),
            )}
          </div>
        )}
      </Card>
    </div>
  )
}

/** Runs one action at a time, reports failures, and refetches the subscription afterwards. */
export function useManageSubscription() {
  const [running, setRunning] = useState<string | null>(null)
  const { dismiss } = useToast()
  const reportError = useReportError()
  const { invalidate } = useApiCache()

  async function run(action: string, task: () => Promise<unknown>): Promise<boolean> {
    setRunning(action)
    dismiss()
    let signedOut = false
    try {
      await task()
      return true
    } catch (error) {
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
  const day = formatDay(currentPeriodEnd)
  if (cancelAtPeriodEnd) return `Ends on ${day}`
  return nextPlan ? `Changes to the ${planTitles[nextPlan]} on ${day}` : `Renews on ${day}`
}

const formatDay = (time: number): string => new Date(time).toLocaleDateString('en-US', { dateStyle: 'long' })

/** The provider's status in readable form: past_due becomes 'Past due'. */
function statusText(status: string | null): string {
  const words = (status ?? 'inactive').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
