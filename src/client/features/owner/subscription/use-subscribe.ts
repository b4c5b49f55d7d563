import { useCallback, useEffect, useEffectEvent, useReducer, useRef, useState } from 'react'
import * as v from 'valibot'
import { useLocation } from 'wouter'
import { api } from '#contract/api.ts'
import { backoffMs } from '#contract/backoff.ts'
import type { Plan, Subscription, SubscriptionConfirmation, SubscriptionSetup } from '#contract/billing.ts'
import { call, errorMessage } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { useErrorToast, useToast } from '../../../ui/toast/toast.tsx'
import { cardErrorTitle, PaymentError } from '../cards/card-form.tsx'
import { useErrorToastOrSignIn } from '../use-sign-in-redirect.ts'
import { completeBankStep } from './load-stripe.ts'
import { isNotConfirmed, isOutcomeUnknown } from './outcome.ts'
import { parseRedirectResult, type RedirectResult } from './redirect-result.ts'
import { subscribeReducer, initialSubscribeState } from './subscribe-flow.ts'

const notInitializedText = 'Failed to initialize payment. Please try again.'

/** From choosing a plan to an active subscription, with every failure on the way. */
export function useSubscribe(publishableKey: string | null) {
  const [flow, dispatch] = useReducer(subscribeReducer, initialSubscribeState)
  const { toast, dismiss } = useToast()
  const showError = useErrorToast()
  const reportError = useReportPaymentError()
  const { invalidate, refetch } = useApiCache()
  const [, navigate] = useLocation()
  const mounted = useIsMounted()
  /** A confirmed card need not be entered again when only the charge failed. */
  const confirmed = useRef<{ clientSecret: string; setupIntentId: string } | null>(null)

  async function choose(plan: Plan): Promise<void> {
    dispatch({ type: 'choose', plan })
    dismiss()
    try {
      dispatch({ type: 'started', setup: await createSetup(plan) })
    } catch (error) {
      dispatch({ type: 'no-form' })
      const signedOut = reportError(error, notInitializedText)
      // The owner may have subscribed on another screen.
      if (!signedOut) await invalidate(api.billing.subscription)
    }
  }

  const reportFormUnavailable = useCallback(() => {
    dispatch({ type: 'no-form' })
    showError(notInitializedText)
  }, [showError])

  async function pay(setup: SubscriptionSetup, confirmCard: () => Promise<string>): Promise<void> {
    dispatch({ type: 'pay' })
    dismiss()
    if (confirmed.current?.clientSecret !== setup.clientSecret) {
      try {
        const { clientSecret } = setup
        confirmed.current = { clientSecret, setupIntentId: await confirmCard() }
      } catch (error) {
        dispatch({ type: 'not-paid' })
        reportError(error, 'Please try again.', cardErrorTitle)
        return
      }
    }
    await subscribe({ setupIntentId: confirmed.current.setupIntentId, priceId: setup.priceId })
  }

  async function subscribe(
    confirmation: SubscriptionConfirmation,
    errorTitle = subscriptionErrorTitle,
  ): Promise<void> {
    try {
      await confirmSubscription(publishableKey, confirmation)
    } catch (error) {
      if (isOutcomeUnknown(error) && (await findOutcome()) === 'active') return await succeed()
      dispatch({ type: isOutcomeUnknown(error) || isNotConfirmed(error) ? 'not-paid' : 'card-spent' })
      const signedOut = reportError(error, 'Failed to create subscription', errorTitle)
      if (!signedOut) await invalidate(api.billing.subscription, api.accounts.currentUser)
      return
    }
    await succeed()
  }

  async function succeed(): Promise<void> {
    await invalidate(api.accounts.currentUser)
    toast({ title: t('Success! Your subscription is now active.') })
    if (mounted.current) navigate('/dashboard')
  }

  /** What became of a payment whose answer was lost: asks until the server knows. */
  async function findOutcome(failures = 0): Promise<Subscription['subscriptionStatus'] | null> {
    try {
      const { subscriptionStatus, outOfDate } = await refetch(api.billing.subscription, {
        query: { fresh: 'true' },
      })
      if (subscriptionStatus === 'active' || !outOfDate) return subscriptionStatus
    } catch (error) {
      if (!isOutcomeUnknown(error)) return null
    }
    dispatch({ type: 'check' })
    await new Promise((resolve) => setTimeout(resolve, backoffMs(failures, checkDelay)))
    return mounted.current ? await findOutcome(failures + 1) : null
  }

  async function finish(confirmation: SubscriptionConfirmation, errorTitle?: string): Promise<void> {
    dispatch({ type: 'finish' })
    dismiss()
    await subscribe(confirmation, errorTitle)
  }

  useReturnFromBank(({ confirmation, succeeded }) => {
    navigate('/subscribe', { replace: true })
    void finish(confirmation, succeeded ? undefined : cardErrorTitle)
  })

  return {
    flow,
    choose,
    reportFormUnavailable,
    pay,
    finish,
    backToPlans: () => dispatch({ type: 'back' }),
  }
}

const subscriptionErrorTitle = 'Subscription Error'

/** A payment error has its own message and title. Returns true if it was the session that ended. */
function useReportPaymentError(): (error: unknown, fallback: string, title?: string) => boolean {
  const reportError = useErrorToastOrSignIn()
  return (error, fallback, title) =>
    error instanceof PaymentError
      ? reportError(error, error.message, error.title)
      : reportError(error, errorMessage(error, fallback), title)
}

/** Calls back once if the bank's page has redirected here. */
function useReturnFromBank(onReturn: (result: RedirectResult) => void): void {
  const [result] = useState(() => parseRedirectResult(location.search))
  const handled = useRef(false)
  const handle = useEffectEvent(onReturn)
  useEffect(() => {
    if (!result || handled.current) return
    handled.current = true
    handle(result)
  }, [result])
}

const invalidResponseError = (): PaymentError => new PaymentError('Invalid response from server', 'Error')

async function createSetup(planType: Plan): Promise<SubscriptionSetup> {
  const setup = await call(api.billing.create, { body: { planType } }).catch((error: unknown) => {
    throw error instanceof v.ValiError || error instanceof SyntaxError ? invalidResponseError() : error
  })
  if (setup.clientSecret === '' || setup.priceId === '') throw invalidResponseError()
  return setup
}

async function confirmSubscription(
  publishableKey: string | null,
  body: SubscriptionConfirmation,
): Promise<void> {
  let answer = await call(api.billing.confirm, { body })
  if (answer.clientSecret !== undefined && publishableKey !== null) {
    await completeBankStep(publishableKey, answer.clientSecret)
    answer = await call(api.billing.confirm, { body })
  }
  if (answer.status !== 'active' && answer.status !== 'trialing')
    // The provider accepted the subscription, but it is not active.
    throw new PaymentError(
      t('Subscription not active: {status}', { status: answer.status }),
      subscriptionErrorTitle,
    )
}

const checkDelay = { firstMs: 1_000, growth: 2, maxMs: 10_000 }

function useIsMounted() {
  const mounted = useRef(true)
  useEffect(() => {
    mounted.current = true
    return () => {
      mounted.current = false
    }
  }, [])
  return mounted
}
