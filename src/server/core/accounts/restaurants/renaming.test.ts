import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { minuteMs } from '#contract/durations.ts'
import { password, setUpApp } from '../../../../../test/support/app.ts'

const app = setUpApp({ scheduler: 'manual' })

it('the name that people sign in with is changed only after a recent sign-in', async () => {
  const { name, owner } = await app.restaurant()
  const change = (body: object) => owner.call(api.restaurant.change, { body })
  app.advance(16 * minuteMs)
  expect(await change({ restaurantName: `New ${name}` })).toMatchObject({
    status: 403,
    body: { code: 'recent_sign_in_required' },
  })
  // Its spelling, too.
  expect((await change({ restaurantName: name.toUpperCase() })).status).toBe(403)
  expect(await owner.ok(api.restaurant.settings, {})).toMatchObject({ restaurantName: name })
  // Everything else, and the form that sends the name as it is, at any time.
  expect((await change({ restaurantName: name, timeZone: 'Europe/Berlin' })).status).toBe(200)
  await owner.ok(api.accounts.confirmIdentity, { body: { password } })
  expect((await change({ restaurantName: `New ${name}` })).status).toBe(200)
})
