import type { Checker } from './evidence.ts'

const statusOf = { made: 201, paymentRequired: 402 }

/** What needs a plan is done while it is paid for, and only then. Guests and crew never depend on it. */
export const plans: Checker = ({ restaurant: { availability } }) =>
  (availability?.paidCalls.splice(0) ?? [])
    .filter(({ at, status }) => {
      const isPaid = status === statusOf.made
      return (
        (!isPaid && status !== statusOf.paymentRequired) ||
        availability?.plan.between(at, at).every(({ value }) => value !== isPaid)
      )
    })
    .map(({ at, status }) => ({
      about: `button at ${at}`,
      problem: `a button that needs a plan was answered ${status}`,
    }))
