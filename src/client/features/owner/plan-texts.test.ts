import { formatPrice } from '#contract/billing.ts'
import { expect, it } from 'vitest'
import { paymentTerms, yearlyByMonth } from './plan-texts.ts'

it('states the prices of the plans', () => {
  expect([formatPrice('monthly'), formatPrice('yearly'), yearlyByMonth]).toEqual([
    '$100/month',
    '$1,100/year',
    'about $91.67/month',
  ])
  expect(paymentTerms).toEqual({
    monthly: '$100/month - Cancel anytime',
    yearly: '$1,100/year - 1 Month Free',
  })
})
