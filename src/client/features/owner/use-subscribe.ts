import { useCallback, useEffect, useReducer, useRef, useState } from 'react'
import * as v from 'valibot'
import { useLocation } from 'wouter'
import { api } from '#contract/api.ts'
import type { Plan, SubscriptionConfirmation, SubscriptionSetup } from '#contract/billing.ts'
import { ApiError, call, errorMessage } from '../../api/http.ts'
import { useApiCache } from '../../api/queries.ts'
import { useErrorToast, useToast } from '../../ui/toast.tsx'
import { CardError } from './card-form.tsx'
import { parseRedirectResult } from './redirect-result.ts'
import { completeBankStep } from './load-stripe.ts'
import { subscribeReducer, initialSubscribeState } from './subscribe-flow.ts'
import { isUnauthenticated, useSignInRedirect } from './use-sign-in-redirect.ts'

/** The provider accepted the subscription, but it is not active. */
class NotActiveError extends Error {
  override name = 'NotActiveError'
}

const notInitializedText = 'Failed to initialize payment. Please try again.'

/** From choosing a plan to an active subscription, with every failure on the way. */
export function useSubscribe(publishableKey: string | null) {
  const [flow, dispatch] = useReducer(subscribeReducer, initialSubscribeState)
  const { toast, dismiss } = useToast()
  const showError = useErrorToast()
  const redirectToSignIn = useSignInRedirect()
  const { invalidate } = useApiCache()
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
      if (isUnauthenticated(error)) return redirectToSignIn()
      showError(
        error instanceof InvalidResponseError ? error.message : errorMessage(error, notInitializedText),
      )
      // The owner may have subscribed on another screen.
      await invalidate(api.billing.subscription)
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
        return reportCardError(error)
      }
    }
    await subscribe({ setupIntentId: confirmed.current.setupIntentId, priceId: setup.priceId })
  }

  function reportCardError(error: unknown): void {
    if (isUnauthenticated(error)) return redirectToSignIn()
    const message = error instanceof CardError ? error.message : errorMessage(error, 'Please try again.')
    showError(message, 'Payment Setup Failed')
  }

  async function subscribe(
    confirmation: SubscriptionConfirmation,
    errorTitle = 'Subscription Error',
  ): Promise<void> {
    try {
      await confirmSubscription(publishableKey, confirmation)
    } catch (error) {
      dispatch({ type: isRetryable(error) ? 'not-paid' : 'card-spent' })
      if (isUnauthenticated(error)) return redirectToSignIn()
      if (error instanceof CardError) reportCardError(error)
      else if (error instanceof NotActiveError) showError(error.message, 'Subscription Error')
      else showError(errorMessage(error, 'Failed to create subscription'), errorTitle)
      return invalidate(api.billing.subscription, api.accounts.currentUser)
    }
    await invalidate(api.accounts.currentUser)
    toast({ title: 'Success! Your subscription is now active.' })
    if (mounted.current) navigate('/dashboard')
  }

  async function finish(confirmation: SubscriptionConfirmation, errorTitle?: string): Promise<void> {
    dispatch({ type: 'finish' })
    dismiss()
    await subscribe(confirmation, errorTitle)
  }

  const [returned] = useState(() => parseRedirectResult(location.search))
  const comeBack = useRef(() => {
    if (!returned) return
    navigate('/subscribe', { replace: true })
    void finish(returned.confirmation, returned.succeeded ? undefined : 'Payment Setup Failed')
  })
  useEffect(() => {
    const begin = comeBack.current
    comeBack.current = () => {}
    begin()
  }, [])

  return {
    flow,
    choose,
    reportFormUnavailable,
    pay,
    finish,
    backToPlans: () => dispatch({ type: 'back' }),
  }
}

class InvalidResponseError extends Error {
  override name = 'InvalidResponseError'
  override message = 'Invalid response from server'
}

async function createSetup(planType: Plan): Promise<SubscriptionSetup> {
  const setup = await call(api.billing.create, { body: { planType } }).catch((error: unknown) => {
    throw error instanceof v.ValiError || error instanceof SyntaxError ? new InvalidResponseError() : error
  })
  if (setup.clientSecret === '' || setup.priceId === '') throw new InvalidResponseError()
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
    throw new NotActiveError(`Subscription not active: ${answer.status}`)
}

/** The outcome is unknown; trying again is safe. */
const isRetryable = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)

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
