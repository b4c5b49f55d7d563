import { expect, it } from 'vitest'
import {
  type SubscribeEvent,
  type SubscribeState,
  subscribeReducer,
  initialSubscribeState,
} from './subscribe-flow.ts'

const setup = { clientSecret: 'seti_1_secret_2', priceId: 'price_1' }
const after = (...events: SubscribeEvent[]): SubscribeState =>
  events.reduce(subscribeReducer, initialSubscribeState)
const choose: SubscribeEvent = { type: 'choose', plan: 'yearly' }
const started: SubscribeEvent = { type: 'started', setup }
const pay: SubscribeEvent = { type: 'pay' }
const finish: SubscribeEvent = { type: 'finish' }

it('goes from the plans to the card form, and pays when it is submitted', () => {
  expect(after(choose)).toEqual({ step: 'starting', plan: 'yearly' })
  expect(after(choose, started)).toEqual({ step: 'payment', plan: 'yearly', setup })
  expect(after(choose, started, pay)).toEqual({ step: 'paying', plan: 'yearly', setup })
})

it('forgets the plan if the card form cannot be loaded, and on Back to Plans', () => {
  expect(after(choose, { type: 'no-form' })).toEqual(initialSubscribeState)
  expect(after(choose, started, { type: 'no-form' })).toEqual(initialSubscribeState)
  expect(after(choose, started, { type: 'back' })).toEqual(initialSubscribeState)
})

it('keeps the card form if the card is refused, but not if its setup is used up', () => {
  expect(after(choose, started, pay, { type: 'not-paid' })).toEqual(after(choose, started))
  expect(after(choose, started, pay, { type: 'card-spent' })).toEqual(initialSubscribeState)
})

it('shows the plans again if a card entered before cannot be charged', () => {
  expect(after(finish)).toEqual({ step: 'finishing' })
  expect(after(finish, { type: 'not-paid' })).toEqual(initialSubscribeState)
  expect(after(finish, { type: 'card-spent' })).toEqual(initialSubscribeState)
})

it('accepts a plan once, and does not go back while it is being paid', () => {
  expect(after(choose, { type: 'choose', plan: 'monthly' })).toEqual(after(choose))
  expect(after(choose, started, pay, { type: 'back' })).toEqual(after(choose, started, pay))
  expect(after(choose, started, pay, { type: 'no-form' })).toEqual(after(choose, started, pay))
  expect(after(choose, started, pay, pay)).toEqual(after(choose, started, pay))
  expect(after(choose, finish)).toEqual(after(choose))
  expect(after(started)).toEqual(initialSubscribeState)
})
