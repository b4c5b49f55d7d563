import { expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp } from '../../../../../test/support/app.ts'
import { currentCode } from '../../../../../test/support/restaurants/authenticator.ts'
import { postFrom } from '../../../../../test/support/restaurants/logins.ts'

const app = setUpApp({ trustProxy: ['loopback'], scheduler: 'manual' })

it('wrong codes from everywhere do not lock out the browser in which the app was set up', async () => {
  const { name, owner } = await app.restaurant()
  const { secret } = await owner.ok(api.secondFactors.beginAuthenticator, {})
  const code = () => currentCode(secret, app.now())
  await owner.ok(api.secondFactors.turnAuthenticatorOn, { body: { code: code() } })
  app.advance(30_000)
  const login = (tried: string) => ({ username: name, password, code: tried })
  for (let tries = 0; tries < 50; tries++)
    expect((await postFrom(app.browser(), '/api/demo-login', login('000000'))).status).toBe(401)
  // Strangers with the password have used up the count that they share.
  expect((await postFrom(app.browser(), '/api/demo-login', login(code()))).status).toBe(429)
  await owner.fetch('/api/logout')
  expect((await postFrom(owner, '/api/demo-login', login(code()))).status).toBe(200)
})
