import { useCallback, useEffect, useReducer, useRef, useState } from 'react'
import * as v from 'valibot'
import { useLocation } from 'wouter'
import { api } from '#contract/api.ts'
import type { Plan, SubscriptionConfirmation, SubscriptionSetup } from '#contract/billing.ts'
import { ApiError, call, saidBy } from '../../api/http.ts'
import { useReads } from '../../api/queries.ts'
import { useToast } from '../../ui/toast.tsx'
import { CardProblem } from './card-form.tsx'
import { returnedSetup } from './returned-setup.ts'
import { takeBankStep } from './stripe-js.ts'
import { subscribeFlow, subscribeStart } from './subscribe-flow.ts'
import { isLoggedOut, useLoggedOut } from './use-logged-out.ts'

/** The provider took the subscription, and it is nothing to work with. */
class NotActive extends Error {
  override name = 'NotActive'
}

const notInitialized = 'Failed to initialize payment. Please try again.'

/** The way from a plan to a subscription, with everything that may go wrong on it. */
export function useSubscribing(publishableKey: string | null) {
  const [flow, dispatch] = useReducer(subscribeFlow, subscribeStart)
  const { toast, dismiss } = useToast()
  const loggedOut = useLoggedOut()
  const { refresh } = useReads()
  const [, navigate] = useLocation()
  const shown = useShown()
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
      dispatch({ type: 'started', setup: await begin(plan) })
    } catch (problem) {
      dispatch({ type: 'no-form' })
      if (isLoggedOut(problem)) return loggedOut()
      complain(
        'Error',
        problem instanceof InvalidResponse ? problem.message : saidBy(problem, notInitialized),
      )
      // Somebody may have subscribed on another screen.
      await refresh(api.billing.subscription)
    }
  }

  const noForm = useCallback(() => {
    dispatch({ type: 'no-form' })
    complain('Error', notInitialized)
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
    if (isLoggedOut(problem)) return loggedOut()
    const said = problem instanceof CardProblem ? problem.message : saidBy(problem, 'Please try again.')
    complain('Payment Setup Failed', said)
  }

  async function subscribe(
    confirmation: SubscriptionConfirmation,
    failed = 'Subscription Error',
  ): Promise<void> {
    try {
      await confirm(publishableKey, confirmation)
    } catch (problem) {
      dispatch({ type: mayRetry(problem) ? 'not-paid' : 'card-spent' })
      if (isLoggedOut(problem)) return loggedOut()
      if (problem instanceof CardProblem) refused(problem)
      else if (problem instanceof NotActive) complain('Subscription Error', problem.message)
      else complain(failed, saidBy(problem, 'Failed to create subscription'))
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

  const [returned] = useState(() => returnedSetup(location.search))
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

class InvalidResponse extends Error {
  override name = 'InvalidResponse'
  override message = 'Invalid response from server'
}

async function begin(planType: Plan): Promise<SubscriptionSetup> {
  const setup = await call(api.billing.create, { body: { planType } }).catch((problem: unknown) => {
    throw problem instanceof v.ValiError || problem instanceof SyntaxError ? new InvalidResponse() : problem
  })
  if (setup.clientSecret === '' || setup.priceId === '') throw new InvalidResponse()
  return setup
}

async function confirm(publishableKey: string | null, body: SubscriptionConfirmation): Promise<void> {
  let answer = await call(api.billing.confirm, { body })
  if (answer.clientSecret !== undefined && publishableKey !== null) {
    await takeBankStep(publishableKey, answer.clientSecret)
    answer = await call(api.billing.confirm, { body })
  }
  if (answer.status !== 'active' && answer.status !== 'trialing')
    throw new NotActive(`Subscription not active: ${answer.status}`)
}

/** Nobody knows yet what became of it; asking again does nothing twice. */
const mayRetry = (problem: unknown): boolean =>
  problem instanceof ApiError && (problem.status === 0 || problem.status === 429 || problem.status >= 500)

function useShown() {
  const shown = useRef(true)
  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  return shown
}
