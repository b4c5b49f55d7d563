import { useCallback, useEffect, useReducer, useRef, useState } from 'react'
import * as v from 'valibot'
import { useLocation } from 'wouter'
import { api } from '#contract/api.ts'
import type { Plan, SubscriptionConfirmation, SubscriptionSetup } from '#contract/billing.ts'
import { ApiError, call, errorMessage } from '../../api/http.ts'
import { useApiCache } from '../../api/queries.ts'
import { useToast } from '../../ui/toast.tsx'
import { CardError } from './card-form.tsx'
import { parseRedirectResult } from './redirect-result.ts'
import { completeBankStep } from './load-stripe.ts'
import { subscribeReducer, initialSubscribeState } from './subscribe-flow.ts'
import { isUnauthenticated, useSignInRedirect } from './use-sign-in-redirect.ts'

/** The provider took the subscription, and it is nothing to work with. */
class NotActiveError extends Error {
  override name = 'NotActive'
}

const notInitializedText = 'Failed to initialize payment. Please try again.'

/** The way from a plan to a subscription, with everything that may go wrong on it. */
export function useSubscribe(publishableKey: string | null) {
  const [flow, dispatch] = useReducer(subscribeReducer, initialSubscribeState)
  const { toast, dismiss } = useToast()
  const loggedOut = useSignInRedirect()
  const { invalidate: refresh } = useApiCache()
  const [, navigate] = useLocation()
  const shown = useIsMounted()
  /** A card that is in need not be put in again when only the charging failed. */
  const confirmed = useRef<{ clientSecret: string; setupIntentId: string } | null>(null)

  const complain = useCallback(
    (title: string, description: string) => toast({ title, description, destructive: true }),
    [toast],
  )

  async function choose(plan: Plan): Promise<void> {
    dispatch({ type: 'choose', plan })
    dismiss()
    try {
      dispatch({ type: 'started', setup: await createSetup(plan) })
    } catch (problem) {
      dispatch({ type: 'no-form' })
      if (isUnauthenticated(problem)) return loggedOut()
      complain(
        'Error',
        problem instanceof InvalidResponseError ? problem.message : errorMessage(problem, notInitializedText),
      )
      // Somebody may have subscribed on another screen.
      await refresh(api.billing.subscription)
    }
  }

  const noForm = useCallback(() => {
    dispatch({ type: 'no-form' })
    complain('Error', notInitializedText)
  }, [complain])

  async function pay(setup: SubscriptionSetup, confirmCard: () => Promise<string>): Promise<void> {
    dispatch({ type: 'pay' })
    dismiss()
    if (confirmed.current?.clientSecret !== setup.clientSecret) {
      try {
        const { clientSecret } = setup
        confirmed.current = { clientSecret, setupIntentId: await confirmCard() }
      } catch (problem) {
        dispatch({ type: 'not-paid' })
        return refused(problem)
      }
    }
    await subscribe({ setupIntentId: confirmed.current.setupIntentId, priceId: setup.priceId })
  }

  function refused(problem: unknown): void {
    if (isUnauthenticated(problem)) return loggedOut()
    const said = problem instanceof CardError ? problem.message : errorMessage(problem, 'Please try again.')
    complain('Payment Setup Failed', said)
  }

  async function subscribe(
    confirmation: SubscriptionConfirmation,
    failed = 'Subscription Error',
  ): Promise<void> {
    try {
      await confirmSubscription(publishableKey, confirmation)
    } catch (problem) {
      dispatch({ type: isRetryable(problem) ? 'not-paid' : 'card-spent' })
      if (isUnauthenticated(problem)) return loggedOut()
      if (problem instanceof CardError) refused(problem)
      else if (problem instanceof NotActiveError) complain('Subscription Error', problem.message)
      else complain(failed, errorMessage(problem, 'Failed to create subscription'))
      return refresh(api.billing.subscription, api.accounts.currentUser)
    }
    await refresh(api.accounts.currentUser)
    toast({ title: 'Success! Your subscription is now active.' })
    if (shown.current) navigate('/dashboard')
  }

  async function finish(confirmation: SubscriptionConfirmation, failed?: string): Promise<void> {
    dispatch({ type: 'finish' })
    dismiss()
    await subscribe(confirmation, failed)
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
    noForm,
    pay,
    finish,
    backToPlans: () => dispatch({ type: 'back' }),
  }
}

class InvalidResponseError extends Error {
  override name = 'InvalidResponse'
  override message = 'Invalid response from server'
}

async function createSetup(planType: Plan): Promise<SubscriptionSetup> {
  const setup = await call(api.billing.create, { body: { planType } }).catch((problem: unknown) => {
    throw problem instanceof v.ValiError || problem instanceof SyntaxError
      ? new InvalidResponseError()
      : problem
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

/** Nobody knows yet what became of it; asking again does nothing twice. */
const isRetryable = (problem: unknown): boolean =>
  problem instanceof ApiError && (problem.status === 0 || problem.status === 429 || problem.status >= 500)

function useIsMounted() {
  const shown = useRef(true)
  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  return shown
}
