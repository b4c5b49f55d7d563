import { expect, it } from 'vitest'
import { parseRedirectResult } from './redirect-result.ts'

const confirmation = { setupIntentId: 'seti_1', priceId: 'price_1' }

it('recognizes a return from the bank by its address', () => {
  const address = '?price=price_1&setup_intent=seti_1&setup_intent_client_secret=seti_1_secret_2'
  expect(parseRedirectResult(`${address}&redirect_status=succeeded`)).toEqual({
    confirmation,
    succeeded: true,
  })
  expect(parseRedirectResult(address)).toEqual({ confirmation, succeeded: true })
  expect(parseRedirectResult(`${address}&redirect_status=failed`)).toEqual({ confirmation, succeeded: false })
})

it.each(['', '?setup_intent=seti_1', '?price=price_1', '?setup_intent=<script>&price=price_1'])(
  'treats %s as an ordinary visit',
  (search) => {
    expect(parseRedirectResult(search)).toBeNull()
  },
)
