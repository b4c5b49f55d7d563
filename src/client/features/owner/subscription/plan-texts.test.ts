import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { formatPrice } from '../../../api/prices.ts'
import { paymentTerms, yearlyByMonth } from './plan-texts.ts'

beforeEach(() => void vi.stubGlobal('document', { documentElement: { lang: 'en' } }))
afterEach(() => vi.unstubAllGlobals())

it('states the prices of the plans', () => {
  expect([formatPrice('monthly'), formatPrice('yearly'), yearlyByMonth()]).toEqual([
    '$100/month',
    '$1,100/year',
    'about $91.67/month',
  ])
  expect({ monthly: paymentTerms('monthly'), yearly: paymentTerms('yearly') }).toEqual({
    monthly: '$100/month - Cancel anytime',
    yearly: '$1,100/year - 1 Month Free',
  })
})
